// The audit: one key for each value, undo and skip. The server draws the next item.
import { drawCharts } from "./charts.js";
import { typing } from "./keyboard.js";
import { send } from "./marks.js";
import { refresh, showError } from "./regions.js";

let busy = false;

/** Send a change, and show what comes next; what is pressed meanwhile is not for the next item. */
async function change(method, address, body) {
  if (busy) return;
  busy = true;
  try {
    await send(method, address, body);
    showError("");
    await showNext();
  } catch (error) {
    showError(`Not kept: ${error.message}`);
  } finally {
    busy = false;
  }
}

async function showNext() {
  await refresh("/review", ["audit", "growth", "refit", "marks"]);
  document.getElementById("audited")?.focus({ preventScroll: true });
  drawCharts(document.getElementById("growth")); // not waited for: the next key may come at once
}

const form = () => document.querySelector("form[data-audit]");
const mark = (values) => change("PUT", form().dataset.mark, { values });

document.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  if (button.dataset.value !== undefined) mark([button.dataset.value]);
  else if ("skips" in button.dataset) change("PUT", form().dataset.skip);
  else if ("undo" in button.dataset) change("POST", "/api/v1/audit/undo");
});

document.addEventListener("submit", (event) => {
  const { target } = event;
  if (target.matches("[data-draw]")) {
    event.preventDefault();
    change("POST", "/api/v1/audit", { size: Number(target.elements.size.value) });
  } else if (target.matches("[data-audit]")) {
    event.preventDefault();
    const ticked = [...target.querySelectorAll("[name=choice]:checked")].map((choice) => choice.value);
    const values = [...ticked, target.elements.other.value.trim()].filter(Boolean);
    if (values.length) mark(values);
    else showError("Choose a value, or write another.");
  }
});

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || typing(event.target)) return;
  if (document.querySelector("dialog[open]")) return;
  if (event.key === "Enter" && form()?.querySelector("[name=choice]:checked") && !event.target.closest("button, a, summary")) {
    event.preventDefault();
    form().requestSubmit();
    return;
  }
  if (!/^[0-9sz]$/.test(event.key)) return;
  const place = document.querySelector(`#audit [data-key="${event.key}"]`);
  if (!place || place.disabled || place.closest("fieldset:disabled")) return;
  event.preventDefault();
  if (place.matches("input:not([type=checkbox])")) place.focus();
  else if (!busy) place.click();
});

drawCharts();

// The page of an item: "what if" as one ticks or adds claims, charts, and the review mark.
import { drawCharts } from "./charts.js";
import { keepMarks } from "./marks.js";
import { addressOf, debounced, refresh } from "./regions.js";
import { element } from "./tables.js";

const form = document.getElementById("what-if");
const ADDED = ["added", "addition"];
const SHOWN = ["values", "evidence"];

async function judge(regions) {
  const opened = openValues();
  if (!(await refresh(addressOf(form), regions))) return;
  reopen(opened);
  await drawOpen();
}

const evidence = () => [...document.querySelectorAll("details[data-evidence]")];
const openValues = () => new Set(evidence().flatMap((part) => (part.open ? [part.dataset.evidence] : [])));

function reopen(values) {
  for (const part of evidence()) part.open = values.has(part.dataset.evidence);
}

async function drawOpen() {
  await drawCharts(document.getElementById("values"));
  const timeline = document.getElementById("timeline");
  if (timeline) await drawCharts(timeline);
  for (const part of evidence()) if (part.open) await drawCharts(part);
}

const tick = debounced((regions) => judge(regions), 60);

// Fields of the claim to add are sent by its button only.
form.addEventListener("change", (event) => {
  if (event.target.name === "off") tick(SHOWN);
  if (event.target.name === "drop") tick([...SHOWN, ...ADDED]);
});
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  await judge([...SHOWN, ...ADDED]);
  form.elements.source.focus();
});
form.addEventListener("click", (event) => {
  if (!event.target.closest("[data-reset]")) return;
  event.preventDefault();
  for (const box of form.querySelectorAll("input[name=off]")) box.checked = false;
  for (const given of form.querySelectorAll("input[name=add]")) given.remove();
  judge([...SHOWN, ...ADDED]);
});

// Names of sources are offered as one types: a run may have a million.
const offer = debounced(async (input) => {
  const answer = await fetch(`/api/v1/sources?${new URLSearchParams({ q: input.value, limit: 20 })}`);
  if (!answer.ok) return;
  const { sources } = await answer.json();
  input.list.replaceChildren(...sources.map(({ source }) => element("option", { value: source })));
});
form.addEventListener("input", (event) => {
  if (event.target.name === "source") offer(event.target);
});

// A chart is drawn when its evidence is opened.
document.addEventListener("toggle", drawOpen, true);

keepMarks();
drawOpen();

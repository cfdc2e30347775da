// Lists that are searched and filtered as one types; without this, their form is sent by its button.
import { addressOf, debounced, refresh } from "./regions.js";

const form = document.querySelector("form[data-live]");
const REGION = [form.dataset.live];

const search = () => refresh(addressOf(form), REGION);
form.addEventListener("input", debounced(search));
form.addEventListener("submit", (event) => {
  event.preventDefault();
  search();
});

document.addEventListener("click", async (event) => {
  const link = event.target.closest("a[rel=next], a[rel=prev]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  if (!(await refresh(link.getAttribute("href"), REGION, { push: true }))) return;
  document.getElementById("main").scrollIntoView();
  // Followed by a key: go on by keys.
  if (event.detail === 0) document.querySelector("[data-row] a[data-open]")?.focus();
});

// The form shows what is asked for, also after going back.
addEventListener("popstate", () => location.reload());
for (const button of form.querySelectorAll("[data-without-script]")) button.hidden = true;

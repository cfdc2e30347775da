// Keys on every page. Rows are moved through by real focus on their links, so Enter needs no help.

const rows = () => [...document.querySelectorAll("[data-row] a[data-open]")];

function move(step) {
  const links = rows();
  if (!links.length) return;
  const now = links.indexOf(document.activeElement.closest?.("[data-row]")?.querySelector("a[data-open]"));
  const next = now < 0 ? (step > 0 ? 0 : links.length - 1) : now + step;
  links[Math.min(Math.max(next, 0), links.length - 1)].focus();
}

function follow(selector) {
  document.querySelector(selector)?.click();
}

const dialog = document.getElementById("keys");
const ACTIONS = {
  "/": () => document.querySelector("input[type=search]")?.focus(),
  "?": () => dialog.showModal(),
  j: () => move(1),
  k: () => move(-1),
  n: () => follow("a[rel=next]"),
  p: () => follow("a[rel=prev]"),
  u: () => follow("a[rel=up]"),
};

/** Whether keys go into a field. */
export function typing(target) {
  return target.matches?.("input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]");
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || dialog.open) return;
  if (typing(event.target)) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  const inRow = event.target.closest?.("[data-row]");
  const arrow = inRow && { ArrowDown: "j", ArrowUp: "k" }[event.key];
  const action = ACTIONS[arrow || event.key];
  if (!action) return;
  event.preventDefault();
  action();
});

for (const button of document.querySelectorAll("[data-opens]")) {
  button.hidden = false;
  button.addEventListener("click", () => document.getElementById(button.dataset.opens).showModal());
}

// On a phone the navigation is wider than the page.
document.querySelector("nav [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });

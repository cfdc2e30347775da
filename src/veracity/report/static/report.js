// What the report does besides standing there: charts, the choice of colours, and paper.

import { drawCharts } from "./charts.js";

const root = document.documentElement;
const darkWanted = matchMedia("(prefers-color-scheme: dark)");
const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : darkWanted.matches);

const button = document.getElementById("theme");
const nameButton = () => (button.textContent = isDark() ? "Light colours" : "Dark colours");
button.hidden = window !== parent; // the page around a frame has a button of its own
button.addEventListener("click", () => {
  root.dataset.theme = isDark() ? "light" : "dark";
  nameButton();
});
darkWanted.addEventListener("change", nameButton);

// Who shows the report in a frame can choose its colours in the address: #theme=dark.
function takeTheme() {
  const asked = /^#theme=(light|dark)$/.exec(location.hash);
  if (asked) root.dataset.theme = asked[1];
  nameButton();
}
addEventListener("hashchange", takeTheme);
takeTheme();

// On paper nothing can be opened.
const closed = [];
addEventListener("beforeprint", () => {
  closed.push(...document.querySelectorAll("details:not([open])"));
  for (const details of closed) details.open = true;
});
addEventListener("afterprint", () => {
  for (const details of closed.splice(0)) details.open = false;
});

drawCharts();

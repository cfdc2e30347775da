// The report in its frame takes the colours that were chosen on the pages around it.
// It is in a sandbox, so that its address is the way to tell it; a new fragment loads nothing again.

const root = document.documentElement;
const frame = document.querySelector("iframe.report");

function tell() {
  const { theme } = root.dataset;
  // Without a choice, the report follows the system as the pages do.
  if (theme) frame.contentWindow.location.replace(`${frame.src}#theme=${theme}`);
}

new MutationObserver(tell).observe(root, { attributeFilter: ["data-theme"] });
// What is told while the frame still loads may be lost, so it is told again at the end.
frame.addEventListener("load", tell);
tell();

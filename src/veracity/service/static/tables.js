// Tables and evidence made from the service's answers. Text from claims is only ever set as text.

/** Return an element with attributes and children. */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children.filter((child) => child !== null));
  return made;
}

const SVG = "http://www.w3.org/2000/svg";

function drawn(tag, attributes, ...children) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** Return a share as a number with its bar, as the server draws it. */
export function measure(share) {
  const whole = { height: "100%", rx: 3 };
  return element(
    "span",
    { class: "measure" },
    element("span", { class: "figure" }, shareText(share)),
    drawn(
      "svg",
      { class: "bar", "aria-hidden": "true" },
      drawn("rect", { class: "bar-track", width: "100%", ...whole }),
      drawn("rect", { class: "bar-fill", width: `${(100 * share).toFixed(2)}%`, ...whole }),
    ),
  );
}

const text = (value) => element("bdi", {}, String(value));
const badge = (word) => element("span", { class: `badge ${word}` }, word);
const shareText = (share) => (share === null ? "–" : share.toFixed(3));
const signed = (number) => (number < 0 ? "−" : "+") + Math.abs(number).toFixed(3);

/** Kinds of columns: how a cell is made, and the class of the column. */
export const KINDS = {
  text: { cell: text, class: "value" },
  share: { cell: measure, class: "" },
  number: { cell: (number) => Number(number).toLocaleString("en"), class: "number" },
  rate: { cell: shareText, class: "number wide" },
  decision: { cell: badge, class: "" },
  known: { cell: (known) => (known ? "in the run" : badge("new")), class: "" },
};

/** Return a table of records, in a frame that scrolls by key, too; `columns` are [field, title, kind]. */
export function table(records, columns, label) {
  const head = columns.map(([, title, kind]) => element("th", { class: KINDS[kind].class }, title));
  const row = (record) =>
    element(
      "tr",
      {},
      ...columns.map(([field, , kind]) => {
        const value = record[field];
        const shown = value === null || value === undefined ? "–" : KINDS[kind].cell(value);
        return element("td", { class: KINDS[kind].class }, shown);
      }),
    );
  return element(
    "div",
    { class: "table-wrap", tabindex: "0", role: "group", "aria-label": label },
    element(
      "table",
      {},
      element("thead", {}, element("tr", {}, ...head)),
      element("tbody", {}, ...records.map(row)),
    ),
  );
}

/** Return the evidence for one value as a sum, like the bills of an item's page. */
export function bill(evidence) {
  const line = (label, log_odds) =>
    element(
      "tr",
      {},
      element("th", { scope: "row" }, ...label),
      element("td", { class: "number" }, signed(log_odds)),
    );
  const said = (term) => (term.claims ? [" claims it"] : [" says ", text(term.says)]);
  const rows = [
    line(["before anybody speaks"], evidence.before),
    ...evidence.terms.map((term) => line([text(term.source), ...said(term)], term.log_odds)),
    ...evidence.adjustments.map((step) => line([step.reason], step.log_odds)),
  ];
  const foot = [
    line(["log-odds in all"], evidence.log_odds),
    element(
      "tr",
      {},
      element("th", { scope: "row" }, "plausibility"),
      element("td", { class: "number" }, evidence.plausibility.toFixed(4)),
    ),
  ];
  return element(
    "div",
    { class: "table-wrap" },
    element(
      "table",
      { class: "bill" },
      element("caption", {}, text(evidence.value)),
      element("tbody", {}, ...rows),
      element("tfoot", {}, ...foot),
    ),
  );
}

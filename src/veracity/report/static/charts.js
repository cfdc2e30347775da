// Draws the charts of a page: <figure class="chart" data-chart="NAME"> with its specification in
// <script type="application/json" id="chart-NAME">, or at the address in data-src.
//
// Needs window.vegaEmbed (vega.js). Text of data is only ever set as text, expressions are
// interpreted rather than compiled, and styles come from the page, so that a strict
// content-security-policy holds.

const NARROW = 520; // pixels, below which charts that stand side by side stand one below the other
const PHONE = 400; // pixels, below which labels are cut and legends have columns
const SHORT = 110; // pixels of a label on a phone
const MANY = 20; // columns, from which on each of them needs at least COLUMN pixels
const COLUMN = 17;
const GAP = 24; // between charts side by side
const PADDING = 50; // of what is around a hidden chart, about
const SETTLE = 150; // milliseconds to wait for a change of width to end

let drawn = []; // what is on the page: {figure, spec, view, width}

/** Draw every chart below `root` that is not drawn yet, in order. */
export async function drawCharts(root = document) {
  watch();
  for (const figure of root.querySelectorAll("figure.chart[data-chart]")) {
    if (figure.dataset.drawn) continue;
    figure.dataset.drawn = "yes";
    let spec;
    try {
      spec = await specificationOf(figure);
    } catch (error) {
      sayFailure(figure, error);
      continue;
    }
    if (spec) await drawChart(figure, spec);
  }
}

/** Draw a specification into a figure, in the place of what it shows. */
export async function drawChart(figure, spec) {
  forget(figure);
  figure.dataset.drawn = "yes";
  const chart = { figure, spec, view: null, width: 0 };
  drawn.push(chart);
  offerDownloads(figure, spec);
  await embed(chart);
}

async function specificationOf(figure) {
  if (figure.dataset.src) {
    const answer = await fetch(figure.dataset.src);
    if (!answer.ok) throw new Error(`The server answered ${answer.status}.`);
    return answer.json();
  }
  const script = document.getElementById(`chart-${figure.dataset.chart}`);
  return script ? JSON.parse(script.textContent) : null;
}

function forget(figure) {
  for (const chart of drawn) if (chart.figure === figure) chart.view?.finalize();
  drawn = drawn.filter((chart) => chart.figure !== figure && chart.figure.isConnected);
}

// ------------------------------------------------------------------ drawing

async function embed(chart) {
  const place = viewOf(chart.figure, chart.spec);
  const room = Math.floor(place.clientWidth) || roomOf(chart.figure);
  const width = Math.max(room, leastWidth(chart.spec));
  place.classList.toggle("wide", width > room);
  if (width > room) place.tabIndex = 0; // so that it can be scrolled by keys
  else place.removeAttribute("tabindex");
  chart.width = room;
  try {
    let view = await embedAt(place, chart.spec, width, width);
    const excess = excessOf(place, width);
    if (excess > 0 && isComposed(chart.spec)) {
      view.finalize();
      view = await embedAt(place, chart.spec, width, width - excess);
    }
    chart.view?.finalize();
    chart.view = view;
  } catch (error) {
    sayFailure(chart.figure, error);
  }
}

async function embedAt(place, spec, container, width) {
  const { title, description, ...own } = structuredClone(spec); // both stand in the page
  const cut = container < PHONE ? withShortLabels(own) : own;
  const fitted = { ...fit(cut, width), config: merged(own.config, pageConfig(container)) };
  const canvas = document.createElement("div");
  place.replaceChildren(canvas);
  const result = await window.vegaEmbed(canvas, fitted, {
    mode: "vega-lite",
    renderer: "svg",
    ast: true,
    actions: false,
    defaultStyle: false,
    tooltip: showTooltip,
  });
  // What it shows is said by the place around it; Vega marks its parts as images without a name.
  place.querySelector("svg")?.setAttribute("aria-hidden", "true");
  for (const name of ["role", "aria-label", "aria-roledescription"]) canvas.removeAttribute(name);
  return result.view;
}

function viewOf(figure, spec) {
  let place = figure.querySelector(".chart-view");
  if (!place) {
    place = document.createElement("div");
    place.className = "chart-view";
    figure.append(place);
  }
  place.setAttribute("role", "img");
  if (!place.hasAttribute("aria-label")) {
    place.setAttribute("aria-label", spec.description || spec.title || "Chart");
  }
  return place;
}

/** Return the width that a figure will about have when what hides it is opened. */
function roomOf(figure) {
  let around = figure;
  while (around && !around.clientWidth) around = around.parentElement;
  return around ? around.clientWidth - PADDING : NARROW;
}

function excessOf(place, width) {
  const svg = place.querySelector("svg");
  return svg ? Math.ceil(Number(svg.getAttribute("width")) - width) : 0;
}

const isComposed = (spec) => "vconcat" in spec || "hconcat" in spec || "concat" in spec || "spec" in spec;

/** Return a specification that is as wide as the page allows. */
function fit(spec, width) {
  if (isComposed(spec)) {
    delete spec.width; // both are of single views only
    delete spec.autosize;
  }
  if (spec.vconcat) return { ...spec, vconcat: spec.vconcat.map((part) => fitPart(part, width)) };
  if (spec.hconcat) {
    const share = (width - GAP * (spec.hconcat.length - 1)) / spec.hconcat.length;
    if (share < NARROW / 2) {
      const { hconcat, ...rest } = spec;
      return { ...rest, vconcat: hconcat.map((part) => fitPart(part, width)) };
    }
    return { ...spec, hconcat: spec.hconcat.map((part) => fitPart(part, share)) };
  }
  if (spec.concat || spec.spec) {
    const wanted = spec.columns || 1;
    const columns = Math.max(1, Math.min(wanted, Math.floor(width / (NARROW / 2))));
    const share = (width - GAP * (columns - 1)) / columns;
    const parts = spec.concat
      ? { concat: spec.concat.map((part) => fitPart(part, share)) }
      : { spec: fitPart(spec.spec, share) };
    return { ...spec, ...parts, columns };
  }
  if (hasSteps(spec.width)) return spec;
  return { ...spec, width, ...wholeHeight(spec), autosize: { type: "fit-x", contains: "padding" } };
}

/** Parts of a composed chart know no autosize: leave room for axes, then see what is too much. */
function fitPart(spec, width) {
  if (isComposed(spec)) return fit(spec, width);
  return hasSteps(spec.width) ? spec : { ...spec, width: Math.max(80, Math.floor(width - 70)) };
}

/** Return the width below which the columns of a chart could not be told apart; it then scrolls. */
function leastWidth(spec) {
  const columns = bandsOf(spec, "x");
  return columns > MANY ? columns * COLUMN + 2 * SHORT : 0;
}

/** Return the height of a chart with steps as a number: Vega-Lite fits no width beside steps. */
function wholeHeight(spec) {
  const bands = hasSteps(spec.height) ? bandsOf(spec, "y") : 0;
  return bands ? { height: bands * spec.height.step } : {};
}

/** Count the names on an axis; 0 for an axis of numbers. */
function bandsOf(spec, axis) {
  const views = [spec, ...(spec.layer ?? [])];
  const channel = views.map((view) => view.encoding?.[axis]).find((found) => found?.field);
  if (!channel || !["nominal", "ordinal"].includes(channel.type)) return 0;
  return new Set((spec.data?.values ?? []).map((record) => record[channel.field])).size;
}

/** Cut labels that the specification itself allows more room than a phone has. */
function withShortLabels(part) {
  if (Array.isArray(part)) return part.map(withShortLabels);
  if (!isBranch(part)) return part;
  const entries = Object.entries(part).map(([name, value]) => {
    if (name === "values") return [name, value]; // the data
    return [name, name === "labelLimit" ? Math.min(value, SHORT) : withShortLabels(value)];
  });
  return Object.fromEntries(entries);
}

const hasSteps = (width) => typeof width === "object" && width !== null;

// -------------------------------------------------------------------- looks

/** Return the look of the page as Vega-Lite's configuration; `var(...)` follows its colours. */
function pageConfig(width) {
  const words = { labelColor: "var(--muted)", titleColor: "var(--ink)" };
  return {
    background: null,
    font: getComputedStyle(document.body).fontFamily,
    aria: false, // the figure says what is to be said
    padding: 2,
    axis: {
      ...words,
      gridColor: "var(--chart-grid)",
      domainColor: "var(--line-strong)",
      tickColor: "var(--line-strong)",
      labelSeparation: 8,
      ...(width < PHONE ? { labelLimit: SHORT, titleLimit: Math.floor(0.7 * width) } : {}),
    },
    legend: {
      ...words,
      ...(width < NARROW ? { orient: "top", titleOrient: "top" } : {}),
      ...(width < PHONE ? { columns: 2 } : {}),
    },
    header: words,
    title: { color: "var(--ink)", subtitleColor: "var(--muted)" },
    text: { color: "var(--ink)" },
  };
}

/** Lay `over` on `under`, branch by branch. */
function merged(under, over) {
  if (!isBranch(under) || !isBranch(over)) return over === undefined ? under : over;
  const whole = { ...under };
  for (const [name, value] of Object.entries(over)) whole[name] = merged(under[name], value);
  return whole;
}

const isBranch = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

// ------------------------------------------------------------------ changes

let watching = false;

function watch() {
  if (watching) return;
  watching = true;
  const redrawAll = () => drawn.forEach((chart) => embed(chart));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redrawAll);
  new MutationObserver(redrawAll).observe(document.documentElement, {
    attributeFilter: ["data-theme"],
  });
  let timer;
  const redrawResized = () => {
    clearTimeout(timer);
    timer = setTimeout(() => drawn.filter(hasOtherWidth).forEach((chart) => embed(chart)), SETTLE);
  };
  new ResizeObserver(redrawResized).observe(document.body);
  document.addEventListener("toggle", redrawResized, true); // of <details>, which does not bubble
}

function hasOtherWidth(chart) {
  const width = chart.figure.querySelector(".chart-view")?.clientWidth;
  return width && Math.abs(width - chart.width) > 4;
}

// ----------------------------------------------------------------- tooltips

let tooltip;

function showTooltip(handler, event, item, value) {
  if (!tooltip) {
    tooltip = document.createElement("div");
    tooltip.className = "chart-tooltip";
    tooltip.setAttribute("aria-hidden", "true"); // the same data is there to download
    document.body.append(tooltip);
  }
  if (value === null || value === undefined || value === "") {
    tooltip.hidden = true;
    return;
  }
  tooltip.replaceChildren(isBranch(value) ? listOf(value) : String(value));
  tooltip.hidden = false;
  const room = { x: innerWidth - tooltip.offsetWidth - 8, y: innerHeight - tooltip.offsetHeight - 8 };
  tooltip.style.left = `${Math.max(8, Math.min(event.clientX + 14, room.x))}px`;
  tooltip.style.top = `${Math.max(8, Math.min(event.clientY + 14, room.y))}px`;
}

function listOf(fields) {
  const list = document.createElement("dl");
  for (const [name, value] of Object.entries(fields)) {
    if (value === null || value === undefined) continue;
    list.append(textElement("dt", name), textElement("dd", String(value)));
  }
  return list;
}

function textElement(tag, text) {
  const element = document.createElement(tag);
  element.textContent = text;
  return element;
}

// ---------------------------------------------------------------- downloads

function offerDownloads(figure, spec) {
  const records = spec.data?.values;
  if (!Array.isArray(records)) return;
  let place = figure.querySelector(".chart-downloads");
  if (!place) {
    place = document.createElement("p");
    place.className = "chart-downloads";
    figure.append(place);
  }
  const name = figure.dataset.chart;
  const button = (label, make, ending, type) => {
    const element = textElement("button", label);
    element.type = "button";
    element.className = "link";
    element.setAttribute("aria-label", `Download the data of this chart as ${label}: ${name}`);
    element.addEventListener("click", () => save(make(), `${name}.${ending}`, type));
    return element;
  };
  place.replaceChildren(
    textElement("span", "Data behind it:"),
    button("CSV", () => toCsv(records), "csv", "text/csv"),
    button("JSON", () => JSON.stringify(records, null, 1), "json", "application/json"),
  );
}

/** Write records as CSV; cells that a spreadsheet would run as formulas get an apostrophe. */
export function toCsv(records) {
  const names = [...new Set(records.flatMap((record) => Object.keys(record)))];
  const line = (cells) => cells.map(csvCell).join(",");
  return [line(names), ...records.map((record) => line(names.map((name) => record[name])))]
    .map((row) => row + "\r\n")
    .join("");
}

function csvCell(value) {
  if (value === null || value === undefined) return "";
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  let text = typeof value === "string" ? value : JSON.stringify(value);
  if (/^[=+\-@\t\r]/.test(text) && !/^[+-]?[\d.,eE+-]+$/.test(text)) text = `'${text}`;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function save(text, name, type) {
  const address = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

// ------------------------------------------------------------------ trouble

function sayFailure(figure, error) {
  const place = viewOf(figure, {});
  place.replaceChildren(
    textElement("p", `This chart could not be drawn: ${error?.message ?? error}`),
  );
  place.firstChild.className = "chart-error";
}

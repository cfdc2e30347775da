// New claims, pasted, read from a file or filled in by hand, judged by the model of the run.
import { messageOf } from "./regions.js";
import { bill, element, measure, table } from "./tables.js";

const form = document.getElementById("try");
const answerPlace = document.getElementById("answer");
const csv = document.getElementById("csv");
const alone = document.getElementById("alone");
const tabs = [...form.querySelectorAll("[role=tab]")];
const sheet = form.querySelector(".sheet tbody");
const SCORE = "/api/v1/score";

const TRUTHS = [
  ["entity", "Entity", "text"],
  ["attribute", "Attribute", "text"],
  ["value", "Believed", "text"],
  ["plausibility", "Plausibility", "share"],
  ["decision", "Decision", "decision"],
];
const STATEMENTS = [
  ["entity", "Entity", "text"],
  ["attribute", "Attribute", "text"],
  ["value", "Value", "text"],
  ["plausibility", "Plausibility", "share"],
  ["supporters", "For", "number"],
  ["deniers", "Against", "number"],
];
const SOURCES = [
  ["source", "Source", "text"],
  ["known", "Known", "known"],
  ["n_claims", "Claims", "number"],
  ["reliability", "Reliability", "share"],
  ["reliability_low", "from", "rate"],
  ["reliability_high", "to", "rate"],
  ["tpr", "tpr", "rate"],
  ["fpr", "fpr", "rate"],
];

const WHOSE_RATES =
  "Of sources that the run knows, the rates are those of the run, with the interval of their reliability; of new ones, what the model expects.";

// ------------------------------------------------------------------- input

function choose(tab) {
  for (const each of tabs) {
    const chosen = each === tab;
    each.setAttribute("aria-selected", String(chosen));
    each.tabIndex = chosen ? 0 : -1;
    document.getElementById(each.getAttribute("aria-controls")).hidden = !chosen;
  }
}

const byHand = () => tabs[1].getAttribute("aria-selected") === "true";

function addRow(cells = {}) {
  const row = document.getElementById("sheet-row").content.firstElementChild.cloneNode(true);
  for (const input of row.querySelectorAll("input")) input.value = cells[input.dataset.column] ?? "";
  sheet.append(row);
  return row;
}

function claimsOfSheet() {
  const rows = [...sheet.rows].map((row) =>
    Object.fromEntries(
      [...row.querySelectorAll("input")]
        .filter((input) => input.value.trim())
        .map((input) => [input.dataset.column, input.value.trim()]),
    ),
  );
  return rows.filter((row) => Object.keys(row).length);
}

/** Return what to send, or null if nothing was given. */
function request() {
  const query = { explain: true, alone: alone.checked };
  if (byHand()) {
    const claims = claimsOfSheet();
    return claims.length ? { type: "application/json", body: JSON.stringify({ claims }), query } : null;
  }
  return csv.value.trim() ? { type: "text/csv", body: csv.value, query } : null;
}

// ------------------------------------------------------------------ answer

function complain(text) {
  const place = form.querySelector("[data-error]");
  place.textContent = text;
  place.hidden = !text;
}

async function post(given, extra = {}) {
  const query = new URLSearchParams({ ...given.query, ...extra.query });
  const answer = await fetch(`${SCORE}?${query}`, {
    method: "POST",
    headers: { "content-type": given.type, accept: extra.accept ?? "application/json" },
    body: given.body,
  });
  if (!answer.ok) throw new Error(await messageOf(answer));
  return answer;
}

async function judge() {
  const given = request();
  if (!given) return complain("There is no claim yet: paste some, choose a file, or fill in the example.");
  complain("");
  answerPlace.setAttribute("aria-busy", "true");
  try {
    const answer = await (await post(given)).json();
    answerPlace.replaceChildren(...sections(answer, given));
  } catch (error) {
    complain(error instanceof TypeError ? "The service does not answer. Is it still running?" : error.message);
  } finally {
    answerPlace.removeAttribute("aria-busy");
  }
}

function sections(answer, given) {
  const part = (title, name, columns, remark = null) =>
    element(
      "section",
      {},
      element("div", { class: "row spread" }, element("h2", {}, title), downloadButton(name, given)),
      remark && element("p", { class: "small muted" }, remark),
      table(answer[name], columns, title),
    );
  return [
    ...answer.notes.map((note) => element("p", { class: "small muted" }, note)),
    part("What to believe", "truths", TRUTHS),
    part("Every statement", "statements", STATEMENTS),
    part("The sources", "sources", SOURCES, WHOSE_RATES),
    explanations(answer.explanations),
  ].filter(Boolean);
}

function explanations(items) {
  if (!items.length) return null;
  const parts = items.map(({ entity, attribute, evidence }) => {
    const best = evidence[0];
    const summary = element("summary", {}, element("bdi", {}, `${entity}, ${attribute}`), measure(best.plausibility));
    return element("details", { class: "evidence" }, summary, element("div", { class: "grid" }, ...evidence.map(bill)));
  });
  parts[0].open = true;
  return element("section", {}, element("h2", {}, "Why"), ...parts);
}

function downloadButton(name, given) {
  const button = element("button", { type: "button", class: "link" }, "Download as CSV");
  button.addEventListener("click", async () => {
    try {
      const answer = await post(given, { query: { table: name }, accept: "text/csv" });
      save(await answer.blob(), `${name}.csv`);
    } catch (error) {
      complain(error.message);
    }
  });
  return button;
}

function save(content, name) {
  const address = URL.createObjectURL(content);
  element("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

// ------------------------------------------------------------------ events

for (const tab of tabs) {
  tab.addEventListener("click", () => choose(tab));
  tab.addEventListener("keydown", (event) => {
    if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
    const other = tabs.find((each) => each !== tab);
    choose(other);
    other.focus();
  });
}
document.getElementById("file").addEventListener("change", async (event) => {
  const [file] = event.target.files;
  if (file) csv.value = await file.text();
});
form.querySelector("[data-example]").addEventListener("click", (event) => {
  choose(tabs[0]);
  csv.value = event.target.dataset.example;
  csv.focus();
});
form.querySelector("[data-add-row]").addEventListener("click", () => addRow().querySelector("input").focus());
sheet.addEventListener("click", (event) => {
  if (event.target.closest("[data-remove-row]")) event.target.closest("tr").remove();
});
form.addEventListener("submit", (event) => {
  event.preventDefault();
  judge();
});
form.addEventListener("reset", () => {
  complain("");
  answerPlace.replaceChildren();
});
for (let row = 0; row < 3; row += 1) addRow();
form.hidden = false;

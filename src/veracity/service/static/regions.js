// A page asked for again with other parameters, of which only some regions change.
// The server draws every region, with or without JavaScript; here they are only put in place.

/** Return `action` called once after the calls have stopped for `pause` milliseconds. */
export function debounced(action, pause = 180) {
  let timer;
  return (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => action(...given), pause);
  };
}

/** Return the address that a form asks for, without its empty fields. */
export function addressOf(form) {
  const fields = [...new FormData(form)].filter(([, value]) => value !== "");
  const query = new URLSearchParams(fields).toString();
  return form.getAttribute("action") + (query ? `?${query}` : "");
}

/** Return the message of an answer of the service that is an error, page or JSON. */
export async function messageOf(answer) {
  const text = await answer.text();
  try {
    const { error } = JSON.parse(text);
    return [error.message, ...(error.details ?? []).map(detailText)].join(" ");
  } catch {
    const page = new DOMParser().parseFromString(text, "text/html");
    return page.querySelector("[data-message]")?.textContent.trim() || `The service answered ${answer.status}.`;
  }
}

function detailText(detail) {
  return typeof detail === "string" ? detail : (detail.message ?? JSON.stringify(detail));
}

let asked = null;

/** Ask for `address`, put its regions in place of those here, and keep it as the page's address. */
export async function refresh(address, names, { push = false } = {}) {
  asked?.abort();
  const own = (asked = new AbortController());
  const places = names.map((name) => document.getElementById(name));
  places.forEach((place) => place.setAttribute("aria-busy", "true"));
  try {
    const answer = await fetch(address, { signal: own.signal, headers: { accept: "text/html" } });
    if (!answer.ok) throw new Error(await messageOf(answer));
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const kept = page.querySelector("[data-address]")?.dataset.address ?? address;
    names.forEach((name) => replace(name, page));
    history[push ? "pushState" : "replaceState"](null, "", kept);
    showError("");
  } catch (error) {
    if (own.signal.aborted) return false;
    places.forEach((place) => place.removeAttribute("aria-busy"));
    const unreachable = error instanceof TypeError;
    showError(unreachable ? "The service does not answer. Is it still running?" : error.message);
    return false;
  }
  return true;
}

function replace(name, page) {
  const [old, fresh] = [document.getElementById(name), document.adoptNode(page.getElementById(name))];
  const widths = new Map([...old.querySelectorAll("[data-bar]")].map((bar) => [bar.dataset.bar, width(bar)]));
  old.replaceWith(fresh);
  for (const bar of fresh.querySelectorAll("[data-bar]")) glide(bar, widths.get(bar.dataset.bar));
}

const fillOf = (bar) => bar.querySelector(".bar-fill");
const width = (bar) => fillOf(bar).getAttribute("width");

// The stylesheet animates the width, so it has to be seen at the old one first.
function glide(bar, from) {
  const to = width(bar);
  if (from === undefined || from === to) return;
  fillOf(bar).setAttribute("width", from);
  bar.getBoundingClientRect();
  fillOf(bar).setAttribute("width", to);
}

/** Show what went wrong beside the form, or nothing. */
export function showError(text) {
  const place = document.querySelector("[data-error]");
  place.textContent = text;
  place.hidden = !text;
}

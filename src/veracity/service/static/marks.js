// Marks: the true values of items, kept by the service.
import { messageOf, showError } from "./regions.js";
import { element } from "./tables.js";

/** Send a change to the service; throw what it says if it refuses. */
export async function send(method, address, body) {
  const answer = await fetch(address, {
    method,
    headers: body === undefined ? {} : { "content-type": "application/json" },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(await messageOf(answer));
}

/** Let the form of an item's page keep its mark. */
export function keepMarks() {
  const form = document.querySelector("form[data-mark]");
  const address = form.dataset.mark;
  const [state, unmark] = [form.querySelector("[data-mark-state]"), form.querySelector("[data-unmark]")];
  const { other } = form.elements;

  const say = (...parts) => state.replaceChildren(...parts);
  const attempt = async (action) => {
    try {
      await action();
    } catch (error) {
      say(`Not kept: ${error.message}`);
    }
  };

  // Where one value is true, another stands beside a choice of its own; where several are, it is one more.
  const another = form.querySelector("[data-other]");
  other.addEventListener("input", () => {
    if (another) another.checked = true;
  });
  const chosen = () => {
    const ticked = [...form.querySelectorAll("[name=choice]:checked")].map((choice) => choice.value);
    const written = !another || another.checked ? [other.value.trim()] : [];
    return [...new Set([...ticked, ...written])].filter(Boolean);
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const values = chosen();
    if (!values.length) return say("Choose a value, or write another.");
    attempt(async () => {
      await send("PUT", address, { values });
      say("Marked: ", ...values.flatMap((value, place) => [place ? ", " : "", element("bdi", {}, value)]));
      unmark.hidden = false;
    });
  });
  unmark.addEventListener("click", () =>
    attempt(async () => {
      await send("DELETE", address);
      form.reset();
      for (const choice of form.querySelectorAll("[name=choice]")) choice.checked = false;
      other.value = "";
      unmark.hidden = true;
      say("Not marked.");
    }),
  );
}

/** Let the list of marks take back single ones. */
document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-forget]");
  if (!button) return;
  try {
    await send("DELETE", button.dataset.forget);
    location.reload(); // progress and evaluation change with it
  } catch (error) {
    showError(error.message);
  }
});

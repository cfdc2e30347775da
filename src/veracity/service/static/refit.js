// The refit: started by a button, followed until its end, cancelled if it is not wanted any more.
import { send } from "./marks.js";
import { messageOf } from "./regions.js";

const PAUSE = 700; // milliseconds between two questions

const part = (name) => document.querySelector(`[data-refit-${name}]`);

function say(text) {
  part("state").textContent = text;
}

function show(job) {
  const running = job.status === "running";
  part("start").disabled = running || Boolean(job.why_not);
  part("cancel").hidden = part("progress").hidden = !running;
  if (running) {
    part("progress").querySelector(".bar-fill").setAttribute("width", `${(100 * job.step) / job.n_steps}%`);
    say(`Step ${job.step} of ${job.n_steps}: ${job.stage}. ${Math.round(job.seconds)} s`);
  } else {
    say(job.message);
  }
}

async function follow() {
  for (;;) {
    let job;
    try {
      const answer = await fetch("/api/v1/refit");
      if (!answer.ok) throw new Error(await messageOf(answer));
      job = await answer.json();
    } catch (error) {
      say(error instanceof TypeError ? "The service does not answer. Is it still running?" : error.message);
      return;
    }
    if (job.status === "done") return location.reload(); // everything on the page is of the old run
    show(job);
    if (job.status !== "running") return;
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-refit-start], [data-refit-cancel]");
  if (!button) return;
  const starts = button === part("start");
  button.disabled = true;
  try {
    await send(starts ? "POST" : "DELETE", "/api/v1/refit");
    if (starts) follow();
  } catch (error) {
    say(error.message);
    if (starts) button.disabled = false;
  } finally {
    if (!starts) button.disabled = false;
  }
});

if (document.getElementById("refit").dataset.refit === "running") follow();

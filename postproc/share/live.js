/** A run that goes on: new frames of the page's own server, pause and stop. */
const $ = (id) => document.getElementById(id);
const PAUSE = 500; // ms between requests, at least ..
const MOST = 3000; // .. and at most: the run waits ten seconds for its last page

/** Data of the page as the server has it now. */
async function renewed() {
  const answer = await fetch("./");
  if (!answer.ok) throw new Error(await answer.text());
  const text = await answer.text();
  return JSON.parse(
    new DOMParser().parseFromString(text, "text/html").getElementById("data").textContent,
  );
}

/** Show what comes until the run is over. @param renew shows data in place of those there are */
export async function follow(renew) {
  let status = await (await fetch("status")).json();
  let seen = -1;
  const tell = (text) => ($("liveState").textContent = text);
  const ask = async (word) => {
    status = await (await fetch(word, word === "status" ? {} : { method: "POST" })).json();
    const { state, time, end } = status;
    $("pause").textContent = state === "paused" ? "resume" : "pause";
    tell(`${state}: t = ${time.toFixed(3)} of ${end} s, ${status.frames} frames`);
    document.body.dataset.live = state;
  };
  const order = (word) => ask(word).catch(() => {}); // the next request tells
  $("live").hidden = false;
  $("pause").onclick = () => order(status.state === "paused" ? "resume" : "pause");
  $("stop").onclick = () => order("stop");
  for (let isOver = false; !isOver; ) {
    const begin = performance.now();
    try {
      await ask("status");
      isOver = status.state === "over";
      if (status.frames !== seen || isOver) {
        const { frames } = status;
        await renew(await renewed());
        seen = frames;
      }
      if (isOver) await ask("seen");
    } catch (error) {
      if (!(error instanceof TypeError)) {
        tell(error.message); // no frames yet
      } else {
        tell("the run has ended; supple share shows all of it");
        isOver = true;
      }
    }
    const took = performance.now() - begin; // half of the time is the run's
    await new Promise((go) => setTimeout(go, Math.min(Math.max(PAUSE, took), MOST)));
  }
  $("pause").disabled = $("stop").disabled = true;
}

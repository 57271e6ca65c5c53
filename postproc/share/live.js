/** A run that goes on: frames and rows of the page's own server as they come, pause and stop. */
const $ = (id) => document.getElementById(id);
const PAUSE = 100; // ms between requests, at least ..
const MOST = 3000; // .. and at most: the run waits ten seconds for its last page

class Gone extends Error {}

/** Text of an answer. */
async function request(word, options) {
  const answer = await fetch(word, options).catch(() => {
    throw new Gone();
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  return text;
}

/** Data of a page as the server has it now. */
async function renewed() {
  const found = new DOMParser().parseFromString(await request("./"), "text/html");
  return JSON.parse(found.getElementById("data").textContent);
}

/** Show what comes until the run is over. @param extend adds frames and rows; @param open shows data
 * in place of those there are */
export async function follow(data, extend, open) {
  let status;
  let seen;
  const tell = (text) => ($("liveState").textContent = text);
  const ask = async (word) => {
    status = JSON.parse(await request(word, word === "status" ? {} : { method: "POST" }));
    const { state, time, end } = status;
    $("pause").textContent = state === "paused" ? "resume" : "pause";
    tell(`${state}: t = ${time.toFixed(3)} of ${end} s, ${status.frames} frames`);
    document.body.dataset.live = state;
  };
  const order = (word) => ask(word).catch(() => {}); // the next request tells
  const renew = async () => open((data = await renewed()));
  $("live").hidden = false;
  $("pause").onclick = () => order(status?.state === "paused" ? "resume" : "pause");
  $("stop").onclick = () => order("stop");
  for (let isOver = false; !isOver; ) {
    const begin = performance.now();
    try {
      await ask("status");
      const { time, state } = status;
      isOver = state === "over";
      if (isOver) await renew().then(() => ask("seen"));
      else if (time !== seen)
        await extend(JSON.parse(await request(`since/${data.frames}/${data.end}`))).catch(renew);
      seen = time;
    } catch (error) {
      isOver = error instanceof Gone;
      tell(isOver ? "the run has ended; supple share shows all of it" : error.message);
    }
    const took = performance.now() - begin; // half of the time is the run's
    await new Promise((go) => setTimeout(go, Math.min(Math.max(PAUSE, took), MOST)));
  }
  $("pause").disabled = $("stop").disabled = true;
}

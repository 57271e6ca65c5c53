/** Figure and table of a refinement study or a sweep; a row opens the bodies of its point. */
import { digits } from "./numbers.js";

const $ = (id) => document.getElementById(id);

const cell = (text) =>
  text !== "" && Number.isFinite(Number(text)) ? digits(Number(text), 5) : text;

export function showStudy(page, open) {
  $("study").hidden = false;
  $("figure").src = page.figure;
  $("title").textContent = page.title;
  $("badge").hidden = true;
  $("outcome").textContent = page.verdicts.join("\n");
  $("studyText").textContent = page.study;
  const head = $("points").createTHead().insertRow();
  for (const name of page.head)
    head.append(Object.assign(document.createElement("th"), { textContent: name }));
  const body = $("points").createTBody();
  page.rows.forEach((values, i) => {
    const row = body.insertRow();
    for (const value of values) row.insertCell().textContent = cell(value);
    if (!page.points[i]) return;
    const button = document.createElement("button");
    button.textContent = row.cells[0].textContent || "show";
    button.title = "show the last frame of this point";
    row.cells[0].replaceChildren(button);
    button.onclick = () => choose(i);
  });
  const shown = page.points.filter(Boolean).length;
  $("pointsHint").hidden = !page.points.length;
  $("pointsHint").textContent = shown
    ? `The last frames of ${shown} of ${page.rows.length} points are in this page: choose a row.`
    : "No point has frames: 'output.format' of the study is none.";
  const choose = async (i) => {
    for (const row of body.rows) row.classList.toggle("chosen", row === body.rows[i]);
    await open(page.points[i]);
    $("title").textContent = `${page.title}: ${page.labels[i]}`;
  };
  return choose;
}

/** Verdicts, scene, versions, hashes and precision of a run as text. */
import { digits, readable } from "./numbers.js";

const $ = (id) => document.getElementById(id);

function fact(name, value) {
  if (value === undefined || value === null || value === "") return;
  const row = $("facts").insertRow();
  row.insertCell().textContent = name;
  row.insertCell().textContent = value;
}

const withUnit = (value, unit) => {
  const to = readable(unit, value);
  return `${digits(value * to.factor)} ${to.unit}`;
};

export function showWords(data) {
  const { summary, manifest } = data;
  for (const id of ["verdicts", "facts"]) $(id).replaceChildren();
  $("title").textContent = data.title;
  const warnings = summary.warnings ?? [];
  const isBad =
    summary.status === "failed" || warnings.some((w) => /fail/i.test(w.level ?? w.severity ?? ""));
  const word = isBad
    ? "FAIL"
    : warnings.length
      ? "WARN"
      : summary.status === "completed"
        ? "PASS"
        : "";
  $("badge").textContent = word || summary.status || manifest.status || "unfinished";
  $("badge").className = isBad ? "fail" : word === "PASS" ? "" : "warn";
  const lines = warnings.map((w) =>
    typeof w === "string" ? w : (w.message ?? w.text ?? JSON.stringify(w)),
  );
  if (summary.message) lines.unshift(summary.message);
  for (const line of lines.length
    ? lines
    : [word === "PASS" ? "PASS: no warning at the end of the run" : "none"]) {
    const item = document.createElement("li");
    item.textContent = line;
    $("verdicts").append(item);
  }
  $("scene").textContent =
    data.scene || "The scene file has been changed or moved since the run; as run it is below.";
  $("resolved").textContent = data.resolved;
  fact("program", manifest.version && `supple ${manifest.version}`);
  fact("compiler", manifest.compiler);
  fact(
    "libraries",
    Object.entries(manifest.libraries ?? {})
      .map((pair) => pair.join(" "))
      .join(", "),
  );
  fact("command", (manifest.command ?? []).join(" "));
  fact("start", manifest.start);
  fact("steps", summary.steps);
  fact("unknowns", summary.dofs?.total);
  fact("wall time", summary.wall && withUnit(summary.wall.total, "s"));
  fact("hash of the final state", summary.state_hash);
  for (const input of manifest.inputs ?? []) fact(`hash of ${input.path}`, `fnv1a ${input.fnv1a}`);
  const shown = data.times.length;
  fact(
    "frames",
    shown === data.frames ? `all ${shown}` : `${shown} of ${data.frames}, evenly chosen`,
  );
  for (const body of data.soft) {
    const step = Math.max(...body.places.map((axis) => axis.step));
    fact(`largest error: ${body.name}, places`, withUnit(step / 2, "m"));
    const fields = Object.entries(body.fields).map(
      ([name, f]) => `${name} ${withUnit(f.step / 2, f.unit)}`,
    );
    fact(`largest error: ${body.name}, fields`, fields.join(", "));
  }
  const errors = data.rigid.map(
    (b) => b.error ?? Math.max(...b.places.map((axis) => axis.step)) / 2,
  );
  if (errors.length) fact("largest error: rigid bodies", withUnit(Math.max(...errors), "m"));
  if (data.patches)
    fact("largest error: contact pressure", withUnit(data.patches.pressure.step / 2, "Pa"));
}

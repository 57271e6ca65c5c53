/** The page: data, viewer, curves and what people do with them. */
import * as THREE from "three";
import { Arrows, Cables, Patches, Rigid, Soft } from "./bodies.js";
import { Chart } from "./chart.js";
import { follow } from "./live.js";
import { digits, exact, readable } from "./numbers.js";
import { showStudy } from "./study.js";
import { VIEWS, Viewer } from "./viewer.js";
import { showWords } from "./words.js";

const $ = (id) => document.getElementById(id);
const FIRST_FIELDS = ["von_mises_recovered", "von_mises_nodal", "von_mises"];
const MOST_FRAMES = 400; // of a live page
const page = JSON.parse($("data").textContent); // of a run, or of a study with a run a point
let data = page;
let last = 0; // frame
const state = { k: 0, isPlaying: false, picks: [], isMeasuring: false, hidden: new Set() };
const viewer = new Viewer($("canvas"), $("overlay"));
const chart = new Chart($("chart"), (time) => showTime(time));

const ramp = (name) => {
  const pixels = new Uint8Array(page.maps[name].flatMap((colour) => [...colour, 255]));
  const texture = new THREE.DataTexture(pixels, 64, 1);
  texture.colorSpace = THREE.SRGBColorSpace;
  texture.minFilter = texture.magFilter = THREE.LinearFilter;
  texture.needsUpdate = true;
  return texture;
};
const textures = Object.fromEntries(Object.keys(page.maps).map((name) => [name, ramp(name)]));

function save(name, url) {
  const link = document.createElement("a");
  Object.assign(link, { href: url, download: `${data.title.replace(/\W+/g, "_")}_${name}` });
  link.click();
}

function option(select, value, text) {
  select.append(new Option(text ?? value, value));
}

const pretty = (name) => name.replaceAll("_", " ").replace("von mises", "von Mises");

/* ---- bodies ---------------------------------------------------------------------------------- */

async function loadBodies(isRenewed) {
  const softs = await Promise.all(
    data.soft.map((body) => new Soft().load(body, textures[state.map])),
  );
  const rigid = await Promise.all(data.rigid.map((body, i) => new Rigid().load(body, i)));
  for (const { object } of [...(state.bodies ?? []), ...(state.marks ?? [])]) drop(object);
  Object.assign(state, { softs, rigid, bodies: [...softs, ...rigid], picks: [] });
  for (const body of state.bodies) viewer.scene.add(body.object);
  findContainers();
  const box = new THREE.Box3();
  expand(box, softs, 0);
  const ofSofts = box.clone();
  for (const k of new Set([0, last >> 2, last >> 1, (3 * last) >> 2, last]))
    expand(box, state.bodies, k);
  if (box.isEmpty()) state.bodies.forEach((b) => box.expandByObject(b.object));
  viewer.hold(box, ofSofts, isRenewed);
  const { patches, forces, cables } = data;
  state.patches = patches && (await new Patches().load(patches, textures.YlOrRd));
  state.forces = forces && (await new Arrows().load(forces, 0.35 * viewer.radius));
  state.cables = cables && (await new Cables().load(cables));
  state.marks = ["patches", "forces", "cables"].map((name) => state[name]).filter(Boolean);
  for (const mark of state.marks) viewer.scene.add(mark.object);
}

/** Widen a box by bodies in a frame. */
function expand(box, bodies, k) {
  for (const body of bodies.filter((b) => !b.isFloor)) {
    body.show(k);
    body.object.updateMatrixWorld(true);
    (body.mesh ?? body.object).geometry?.computeBoundingBox();
    box.expandByObject(body.object);
  }
}

/** Take an object out of the scene, with what it holds of the graphics card. */
function drop(object) {
  viewer.scene.remove(object);
  object.traverse((part) => {
    part.geometry?.dispose();
    part.material?.dispose();
  });
}

/** Bodies around the middles of two or more others are seen through. */
function findContainers() {
  const boxes = state.bodies
    .filter((b) => !b.isFloor)
    .map((b) => {
      b.show(last);
      b.object.updateMatrixWorld(true);
      return [b, new THREE.Box3().setFromObject(b.object)];
    });
  for (const [body, box] of boxes) {
    const inside = boxes.filter(
      ([other, of]) => other !== body && box.containsPoint(of.getCenter(new THREE.Vector3())),
    );
    if (inside.length < 2 || !(body instanceof Rigid) || body.moving) continue;
    Object.assign(body.object.material, { transparent: true, opacity: 0.14, depthWrite: false });
    body.object.material.color.set(0xa9adb5);
  }
}

/* ---- colour ---------------------------------------------------------------------------------- */

async function setField(name, range) {
  state.field = name;
  $("field").value = name;
  state.fields = await Promise.all(state.softs.map((soft) => soft.field(name)));
  range ? setRange(...range) : rangeOfAll();
}

function setRange(low, high) {
  const top = Math.max(Math.abs(low), Math.abs(high));
  if (Math.abs(low) < 1e-6 * top) low = 0;
  state.range = [low, high];
  state.unit = readable(state.fields.find(Boolean)?.unit ?? "-", top);
  $("low").value = digits(low * state.unit.factor, 4);
  $("high").value = digits(high * state.unit.factor, 4);
  $("unit").textContent = state.unit.unit;
  show(state.k);
}

/** All frames; of a study those of all points, whose colours can be compared. */
function rangeOfAll() {
  state.own = null;
  const bodies = (page.points ?? [data]).flatMap((run) => run?.soft ?? []);
  const found = bodies.map((body) => body.fields[state.field]).filter(Boolean);
  setRange(Math.min(...found.map((f) => f.low)), Math.max(...found.map((f) => f.high)));
}

function rangeOfThis() {
  let [low, high] = [Infinity, -Infinity];
  state.fields.forEach((field) => {
    for (let i = 0; i < (field?.shape[1] ?? 0); i++) {
      const value = field.value(state.k, i);
      if (value < low) low = value;
      if (value > high) high = value;
    }
  });
  if (low <= high) setRange(...(state.own = [low, high]));
}

function setMap(name) {
  state.map = name;
  for (const soft of state.softs) soft.mesh.material.map = textures[name];
  show(state.k);
}

function bars() {
  const found = [];
  if (state.fields.some(Boolean)) {
    const { factor, unit } = state.unit;
    const [low, high] = state.range;
    const title = `${pretty(state.field)} [${unit}]`;
    found.push({ title, low: low * factor, high: high * factor, map: page.maps[state.map] });
  }
  if (state.patches?.high > 0 && $("patches").checked) {
    const { factor, unit } = readable("Pa", state.patches.high);
    const title = `${data.faces ? "contact pressure" : "pressure of contact polygons"} [${unit}]`;
    found.push({ title, low: 0, high: state.patches.high * factor, map: page.maps.YlOrRd });
  }
  return found;
}

/** The last frame, or that of the largest value where the last one shows little of the field. */
function firstFrame() {
  const top = (k) => {
    let most = 0;
    state.fields.forEach((field) => {
      for (let i = 0; i < (field?.shape[1] ?? 0); i++) most = Math.max(most, field.value(k, i));
    });
    return most;
  };
  const tops = data.times.map((_, k) => top(k));
  const most = Math.max(...tops);
  return tops[last] < 0.3 * most ? tops.indexOf(most) : last;
}

/* ---- time ------------------------------------------------------------------------------------ */

function show(k) {
  state.k = Math.max(0, Math.min(last, k));
  const time = data.times[state.k];
  state.chosen = state.k < last ? time : Infinity;
  for (const body of state.bodies) body.show(state.k);
  state.softs.forEach((soft, i) => soft.colour(state.k, state.fields[i], ...state.range));
  for (const mark of state.marks) mark.show(state.k);
  viewer.bars = bars();
  const most =
    state.forces?.most > 0 && $("forces").checked ? readable("N", state.forces.most) : null;
  const clock = data.static ? `load step ${state.k + 1}` : `t = ${time.toFixed(3)} s`;
  viewer.notes = [
    clock,
    most &&
      `longest arrow: ${digits(state.forces.most * most.factor)} ${most.unit}${state.forces.isCut ? " or more" : ""}`,
    state.fields.some((f) => f?.round_off) &&
      state.fields.every((f) => !f || f.high === 0) &&
      `${pretty(state.field)}: no more than round-off, shown as 0`,
  ];
  $("time").value = state.k;
  $("clock").textContent = `${clock}  (${state.k + 1}/${last + 1})`;
  if (state.curves) $("reading").textContent = chart.at(time);
  mark();
  viewer.draw();
}

function nearest(time) {
  let best = 0;
  data.times.forEach((t, k) => {
    if (Math.abs(t - time) < Math.abs(data.times[best] - time)) best = k;
  });
  return best;
}

function showTime(time) {
  const best = nearest(time);
  if (best !== state.k) show(best);
}

function play(isOn) {
  state.isPlaying = isOn;
  $("play").textContent = isOn ? "❚❚" : "▶";
  if (!isOn) return;
  if (state.k === last) show(0);
  let [at, before] = [data.times[state.k], performance.now()];
  const tick = (now) => {
    if (!state.isPlaying) return;
    const span = data.times[last] - data.times[0];
    at += (data.static ? span / 5 : 1) * Number($("speed").value) * ((now - before) / 1e3);
    before = now;
    if (at > data.times[last]) at = data.times[0];
    showTime(at);
    requestAnimationFrame(tick);
  };
  requestAnimationFrame(tick);
}

/* ---- measuring ------------------------------------------------------------------------------- */

/** Value of the field at a picked corner, with its unit. */
function reading({ body, corner }) {
  const field = state.fields[state.softs.indexOf(body)];
  if (!field) return body.name;
  return `${digits(body.value(field, state.k, corner) * state.unit.factor, 4)} ${state.unit.unit}`;
}

function mark() {
  viewer.marks = state.picks.map((pick) => ({
    place: pick.body.corner(state.k, pick.corner),
    text: reading(pick),
  }));
  const [one, other] = viewer.marks;
  if (!one) return;
  const at = one.place
    .toArray()
    .map((x) => digits(1e3 * x, 4))
    .join(", ");
  $("hint").textContent = other
    ? `distance ${digits(1e3 * one.place.distanceTo(other.place), 5)} mm`
    : `${one.text} at (${at}) mm`;
  if (other) viewer.notes.push($("hint").textContent);
}

function measure(isOn) {
  state.isMeasuring = isOn;
  $("measure").setAttribute("aria-pressed", isOn);
  if (!isOn) state.picks = [];
  $("hint").textContent = "Choose two nodes of a surface.";
  show(state.k);
}

function pick(event) {
  const [x0, y0] = state.down;
  if (!state.isMeasuring || Math.hypot(event.clientX - x0, event.clientY - y0) > 4) return;
  const meshes = [];
  for (const body of state.bodies)
    if (body.object.visible) body.object.traverse((o) => o.isMesh && meshes.push(o));
  const box = $("overlay").getBoundingClientRect();
  const found = viewer.pick(event.clientX - box.left, event.clientY - box.top, meshes);
  if (found) state.picks = [...(state.picks.length > 1 ? [] : state.picks), found];
  show(state.k);
}

/* ---- controls -------------------------------------------------------------------------------- */

function controlColour() {
  const names = [...new Set(data.soft.flatMap((body) => Object.keys(body.fields)))];
  names.sort((a, b) => a.includes(" ") - b.includes(" ")); // components of tensors come last
  $("colour").hidden = !names.length;
  $("edges").parentNode.hidden = !names.length;
  $("field").replaceChildren();
  names.forEach((name) => option($("field"), name, pretty(name)));
  $("field").onchange = (event) => setField(event.target.value);
  $("map").onchange = (event) => setMap(event.target.value);
  $("all").onclick = rangeOfAll;
  $("this").onclick = rangeOfThis;
  $("low").onchange = $("high").onchange = () => {
    const [low, high] = ["low", "high"].map(
      (id) => Number($(id).value.replace(",", ".")) / state.unit.factor,
    );
    setRange(...(low < high ? (state.own = [low, high]) : state.range));
  };
  return [state.field, ...FIRST_FIELDS].find((name) => names.includes(name)) ?? names[0] ?? "";
}

function controlBodies() {
  $("bodies").replaceChildren();
  for (const body of state.bodies) {
    const label = document.createElement("label");
    const box = Object.assign(document.createElement("input"), { type: "checkbox" });
    box.checked = body.object.visible = !state.hidden.has(body.name);
    box.onchange = () => {
      body.object.visible = box.checked;
      state.hidden[box.checked ? "delete" : "add"](body.name);
      viewer.draw();
    };
    label.append(box, ` ${body.name}`);
    $("bodies").append(label);
  }
  $("edges").onchange = () => {
    for (const soft of state.softs) soft.edges.visible = $("edges").checked;
    viewer.draw();
  };
  $("edges").onchange();
  controlMarks();
}

function controlMarks() {
  for (const name of ["patches", "forces"]) {
    $(name).parentNode.hidden = !state[name] || !((state[name].high ?? state[name].most) > 0);
    $(name).onchange = (event) => {
      state[name].isOn = state[name].object.visible = event.target.checked;
      show(state.k);
    };
    if (state[name]) state[name].isOn = state[name].object.visible = $(name).checked;
  }
}

function controlView() {
  Object.keys(page.maps).forEach((name) => option($("map"), name));
  for (const name of ["auto", ...Object.keys(VIEWS)]) {
    const button = document.createElement("button");
    button.textContent = name;
    button.onclick = () => viewer.look(VIEWS[name] ?? viewer.auto);
    $("views").append(button);
  }
  const section = () =>
    viewer.section(
      $("axis").value === "" ? null : Number($("axis").value),
      Number($("share").value),
      $("turned").checked,
    );
  for (const id of ["axis", "share", "turned"]) $(id).oninput = section;
  $("measure").onclick = () => measure(!state.isMeasuring);
  $("png").onclick = () => save(`${state.k}.png`, viewer.picture().toDataURL("image/png"));
  $("overlay").addEventListener(
    "pointerdown",
    (event) => (state.down = [event.clientX, event.clientY]),
  );
  $("overlay").addEventListener("pointerup", pick);
}

function controlTime() {
  $("time").oninput = (event) => show(Number(event.target.value));
  $("play").onclick = () => play(!state.isPlaying);
  const next = (step) => {
    const names = [...$("field").options].map((o) => o.value);
    if (names.length)
      setField(names[(names.indexOf(state.field) + step + names.length) % names.length]);
  };
  const keys = {
    " ": () => play(!state.isPlaying),
    ArrowLeft: () => show(state.k - 1),
    ArrowRight: () => show(state.k + 1),
    Home: () => show(0),
    End: () => show(last),
    f: () => next(1),
    F: () => next(-1),
    e: () => $("edges").click(),
    m: () => measure(!state.isMeasuring),
  };
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target.matches("input:not([type=range]):not([type=checkbox]), select");
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
    event.preventDefault();
    if ("feEm".includes(event.key) === false && event.target.blur) event.target.blur();
    keys[event.key]();
  });
}

async function controlCurves() {
  await chart.load(data.curves, data.static ? "load factor [-]" : "time [s]");
  $("group").onchange = (event) => chooseCurves(event.target.value);
  $("svg").onclick = () =>
    save("curves.svg", `data:image/svg+xml;charset=utf-8,${encodeURIComponent(chart.text())}`);
  showCurves();
}

function chooseCurves(name) {
  chart.show(name);
  $("reading").textContent = chart.at(data.times[state.k]);
}

/** Curves there are by now, the chosen one if it is among them. */
function showCurves() {
  state.curves = chart.groups.size > 0;
  $("curves").hidden = !state.curves;
  if (!state.curves) return;
  const before = $("group").value;
  $("group").replaceChildren();
  for (const name of chart.groups.keys()) option($("group"), name);
  if (chart.groups.has(before)) $("group").value = before;
  chooseCurves($("group").value);
}

function controlTheme() {
  const set = (theme) => {
    document.documentElement.dataset.theme = theme;
    viewer.draw();
  };
  set(matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  $("theme").onclick = () =>
    set(document.documentElement.dataset.theme === "dark" ? "light" : "dark");
}

/** Show a run. @param isRenewed with the view, colours and time as they are; from the last frame on
 * to the last frame */
async function open(run, isRenewed) {
  const { isPlaying, chosen, field, own } = state;
  play(false);
  data = run;
  last = data.times.length - 1;
  showWords(data);
  state.fields = [];
  await loadBodies(isRenewed);
  state.range ??= [0, 1];
  const first = controlColour();
  controlBodies();
  $("time").max = state.k = last;
  $("time").parentNode.hidden = last === 0;
  if (first) await setField(first, isRenewed && first === field && own);
  await controlCurves();
  if (isRenewed) {
    show(chosen < Infinity ? nearest(chosen) : last);
    state.chosen = chosen; // its frame may be left out of the next data
    play(isPlaying);
    return;
  }
  show(firstFrame());
  viewer.frame();
}

/** Keep half of the frames, evenly in time. */
function thin() {
  const { times } = data;
  const at = (share) => nearest(times[0] + share * (times[last] - times[0]));
  const kept = new Set(
    Array.from({ length: MOST_FRAMES / 2 }, (_, i) => at(i / (MOST_FRAMES / 2 - 1))),
  );
  const marks = state.marks.map(({ frames }) => frames);
  for (const list of [times, ...state.bodies.flatMap(({ lists }) => lists), ...marks])
    list.splice(0, list.length, ...list.filter((_, k) => kept.has(k)));
  last = times.length - 1;
}

/** Show frames and rows of a run that come after those there are. */
async function extend(more) {
  const [isLast, time] = [state.k === last, data.times[state.k]];
  const { times, frames, end, summary, manifest } = more;
  await chart.add(more.curves);
  if (times.length) {
    await Promise.all([
      ...state.softs.map((body, i) => body.add(more.soft[i])),
      ...state.rigid.map((body, i) => body.add(more.rigid[i])),
      ...["patches", "forces", "cables"].map((name) => state[name]?.add(more[name])),
    ]);
    last = data.times.push(...times) - 1;
    if (last > MOST_FRAMES) thin();
    $("time").max = last;
    $("time").parentNode.hidden = last === 0;
    expand(viewer.box, state.bodies, last);
    controlMarks();
    await Promise.all(state.softs.map((soft) => soft.field(state.field)));
    if (state.field && !state.own) rangeOfAll();
  }
  Object.assign(data, { frames, end, summary, manifest });
  showWords(data);
  showCurves();
  show(isLast && !state.isPlaying ? last : nearest(time));
}

async function start() {
  controlTheme();
  Object.assign(state, { map: "viridis", unit: { factor: 1, unit: "-" } });
  controlView();
  controlTime();
  if (page.rows) {
    const choose = showStudy(page, open);
    const first = page.points.findLastIndex(Boolean);
    document.body.dataset.bodies = first < 0 ? "none" : "some";
    if (first >= 0) await choose(first);
  } else await open(page);
  if (location.hostname === "127.0.0.1") follow(page, extend, (run) => open(run, true));
  new ResizeObserver(() => {
    if (!state.bodies) return;
    viewer.frame();
    if (state.curves) chart.draw();
  }).observe($("view"));
  $("wait").remove();
  document.body.dataset.ready = "yes";
}

window.supple = {
  page,
  state,
  viewer,
  chart,
  show,
  exact,
  get data() {
    return data;
  },
};
start().catch((error) => {
  $("wait").textContent = `The page cannot show the run: ${error.message}`;
  throw error;
});

/** Curves of the history over time as SVG, with a mark at the time shown. */
import { digits, exact, readable, ticks } from "./numbers.js";

const INKS = ["#3a72b8", "#d8662a", "#3f9a55", "#8a56a8", "#2aa0a8", "#c08f1c"];
const MOST_ROWS = 12000; // of a live page
const EDGE = { left: 62, right: 14, top: 28, bottom: 40 };

const element = (name, attributes, text = "") => {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.textContent = text;
  return made;
};

function isMoving(values) {
  const first = values.find(Number.isFinite);
  return values.some((v) => Number.isFinite(v) && v !== first);
}

/** Columns that move, by body and unit: {label: [column]}; contact forces come first. */
function grouped(columns) {
  const groups = new Map();
  for (const column of columns.slice(1).filter(({ values }) => isMoving(values))) {
    const cut = column.name.lastIndexOf(".");
    const key = `${column.name.slice(0, Math.max(cut, 0)) || "run"} | ${column.unit}`;
    const same = /^(cp|com_)?[xyz]$|^q[wxyz]$|^[fvtw][xyz]$/.exec(column.name.slice(cut + 1));
    const label = same
      ? `${key} | ${column.name.slice(cut + 1).replace(/[xyzw]$/, "")}`
      : `${key} | ${column.name}`;
    groups.set(label, [...(groups.get(label) ?? []), column]);
  }
  const found = [...groups.values()].map((group) => {
    const cut = group[0].name.lastIndexOf(".");
    const ends = group.map((c) => c.name.slice(cut + 1)).join(", ");
    const unit = group[0].unit ? ` [${group[0].unit}]` : "";
    return [`${group[0].name.slice(0, Math.max(cut, 0))} ${ends}${unit}`.trim(), group];
  });
  const rank = ([, [{ name, unit }]]) =>
    /^(contact|reaction)\./.test(name) && unit === "N" ? 0 : 1;
  return new Map(found.sort((a, b) => rank(a) - rank(b)));
}

export class Chart {
  constructor(svg, onTime) {
    this.svg = svg;
    this.onTime = onTime;
    const move = (event) => {
      if (event.buttons === 0 && event.type === "pointermove") return;
      const share = (event.clientX - svg.getBoundingClientRect().left - EDGE.left) / this.across;
      this.onTime(this.first + (this.last - this.first) * Math.min(1, Math.max(0, share)));
    };
    svg.addEventListener("pointerdown", move);
    svg.addEventListener("pointermove", move);
  }

  async load(columns, axis) {
    this.axis = axis;
    this.all = columns;
    for (const column of columns) column.values = new Float32Array();
    return this.add(columns);
  }

  /** Rows that come later. */
  async add(columns) {
    for (const [i, column] of this.all.entries()) {
      const [before, rows] = [column.values, await exact(columns[i])];
      column.values = new Float32Array(before.length + rows.length);
      column.values.set(before);
      column.values.set(rows, before.length);
    }
    if (this.all[0].values.length > MOST_ROWS)
      for (const column of this.all) column.values = column.values.filter((_, i) => i % 2 === 0);
    this.time = this.all[0].values;
    [this.first, this.last] = [this.time[0], Math.max(this.time.at(-1), this.time[0] + 1e-12)];
    this.groups = grouped(this.all);
    return this;
  }

  show(name) {
    this.columns = this.groups.get(name) ?? [];
    this.name = name;
    this.draw();
  }

  draw() {
    const [width, height] = [this.svg.clientWidth, this.svg.clientHeight];
    if (!width || !this.columns) return;
    this.svg.replaceChildren();
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.across = width - EDGE.left - EDGE.right;
    const along = height - EDGE.top - EDGE.bottom;
    const finite = this.columns.flatMap((c) => Array.from(c.values).filter(Number.isFinite));
    let [low, high] = finite.reduce(
      ([a, b], v) => [Math.min(a, v), Math.max(b, v)],
      [Infinity, -Infinity],
    );
    if (!(low < high)) [low, high] = [(low || 0) - 1, (high || 0) + 1];
    const { factor, unit } = readable(this.columns[0]?.unit ?? "", Math.max(-low, high));
    this.least = 1e-6 * Math.max(-low, high); // round-off below reads as 0
    const spare = 0.04 * (high - low);
    [low, high] = [low - spare, high + spare];
    this.x = (t) => EDGE.left + (this.across * (t - this.first)) / (this.last - this.first);
    const y = (v) => EDGE.top + along * (1 - (v - low) / (high - low));
    const grid = { stroke: "var(--line, #ccc)", "stroke-width": 1 };
    const word = {
      fill: "var(--ink, #222)",
      "font-size": 12,
      "font-family": "system-ui, sans-serif",
    };
    for (const tick of ticks(low * factor, high * factor, 5)) {
      const at = y(tick / factor);
      this.svg.append(
        element("line", { x1: EDGE.left, x2: width - EDGE.right, y1: at, y2: at, ...grid }),
      );
      this.svg.append(
        element(
          "text",
          { x: EDGE.left - 7, y: at + 4, "text-anchor": "end", ...word },
          digits(tick, 5),
        ),
      );
    }
    for (const tick of ticks(this.first, this.last, Math.max(2, Math.min(8, width / 90)))) {
      const at = this.x(tick);
      this.svg.append(
        element("line", { x1: at, x2: at, y1: EDGE.top, y2: EDGE.top + along, ...grid }),
      );
      const place = { x: at, y: height - EDGE.bottom + 17, "text-anchor": "middle" };
      this.svg.append(element("text", { ...place, ...word }, digits(tick, 5)));
    }
    const middle = EDGE.left + this.across / 2;
    this.svg.append(
      element("text", { x: middle, y: height - 6, "text-anchor": "middle", ...word }, this.axis),
    );
    const label = {
      transform: `translate(13 ${EDGE.top + along / 2}) rotate(-90)`,
      "text-anchor": "middle",
    };
    this.svg.append(element("text", { ...label, ...word }, unit ? `[${unit}]` : "[-]"));
    let right = EDGE.left;
    this.columns.forEach((column, i) => {
      let path = "";
      let isOpen = false;
      column.values.forEach((v, row) => {
        if (Number.isFinite(v))
          path += `${isOpen ? "L" : "M"}${this.x(this.time[row]).toFixed(1)} ${y(v).toFixed(1)}`;
        isOpen = Number.isFinite(v);
      });
      const ink = INKS[i % INKS.length];
      this.svg.append(element("path", { d: path, fill: "none", stroke: ink, "stroke-width": 1.8 }));
      const text = i === 0 ? column.name : column.name.slice(column.name.lastIndexOf(".") + 1);
      this.svg.append(element("text", { ...word, x: right, y: 16, fill: ink }, text));
      right += this.svg.lastChild.getComputedTextLength() + 14;
    });
    this.unit = { factor, unit };
    this.mark = element("line", {
      y1: EDGE.top,
      y2: EDGE.top + along,
      stroke: "var(--accent)",
      "stroke-width": 2,
    });
    this.svg.append(this.mark);
    this.at(this.now ?? this.first);
  }

  /** Row of the history nearest to a time. */
  row(time) {
    let best = 0;
    this.time.forEach((t, i) => {
      if (Math.abs(t - time) < Math.abs(this.time[best] - time)) best = i;
    });
    return best;
  }

  at(time) {
    this.now = time;
    if (!this.mark) return "";
    this.mark.setAttribute("x1", this.x(time));
    this.mark.setAttribute("x2", this.x(time));
    const row = this.row(time);
    const { factor, unit } = this.unit;
    const values = this.columns.map(({ name, values: column }) => {
      const value = Math.abs(column[row]) < this.least ? 0 : factor * column[row];
      return `${name.slice(name.lastIndexOf(".") + 1)} ${digits(value, 4)}`;
    });
    return `${values.join("   ")} ${unit}`;
  }

  /** The picture as a file of its own. */
  text() {
    const copy = this.svg.cloneNode(true);
    copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
    copy.lastChild.remove(); // the mark
    const style = getComputedStyle(document.documentElement);
    return new XMLSerializer()
      .serializeToString(copy)
      .replace(/var\((--\w+)[^)]*\)/g, (_, name) =>
        name === "--ink" ? "#222" : style.getPropertyValue(name).trim(),
      );
  }
}

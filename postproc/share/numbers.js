/** Numbers of the page, unpacked from base64 and deflate, and their units. */

async function inflate(text) {
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = letters.charCodeAt(i);
  const { readable, writable } = new DecompressionStream("deflate");
  const writer = writable.getWriter(); // a Blob takes a millisecond
  writer.write(bytes);
  writer.close();
  return new Uint8Array(await new Response(readable).arrayBuffer());
}

/** Bytes of equal weight, which lie side by side, as numbers. */
function joined(planes, width) {
  const count = planes.length / width;
  const bytes = new Uint8Array(planes.length);
  for (let b = 0; b < width; b++)
    for (let i = 0; i < count; i++) bytes[i * width + b] = planes[b * count + i];
  return bytes.buffer;
}

/** Array of an entry of the data that has all digits. */
export async function exact(entry) {
  const planes = await inflate(entry.data);
  return entry.kind === "u4"
    ? new Uint32Array(joined(planes, 4))
    : new Float32Array(joined(planes, 4));
}

/** Range, steps and round-off of an entry with those of frames that come later. */
export function widen(entry, { low, high, step, round_off }) {
  entry.low = Math.min(entry.low, low);
  entry.high = Math.max(entry.high, high);
  entry.step = Math.max(entry.step, step);
  entry.round_off &&= round_off;
}

/** Frames of quantised numbers: value(k, i) is number i of frame k; more can be added. */
export async function quantised(entry) {
  const frames = [];
  const add = async (more) => {
    const { data, low, step } = more;
    const [count, width] = more.shape;
    const whole = new Uint16Array(joined(await inflate(data), 2));
    for (let i = width; i < whole.length; i++) whole[i] += whole[i - width];
    for (let k = 0; k < count; k++)
      frames.push({ low, step, whole: whole.subarray(k * width, (k + 1) * width) });
    widen(entry, more);
  };
  const value = (k, i) => {
    const { low, step, whole } = frames[k];
    return whole[i] === 65535 ? NaN : low + whole[i] * step;
  };
  await add(entry);
  return Object.assign(Object.create(entry), { frames, add, value });
}

const PREFIXES = [
  [1e9, "G"],
  [1e6, "M"],
  [1e3, "k"],
  [1, ""],
  [1e-3, "m"],
  [1e-6, "µ"],
  [1e-9, "n"],
];
const SMALL = new Set(["m", "m/s", "s"]); // no kilometres

/** Factor and name of the unit in which `largest` reads well. */
export function readable(unit, largest) {
  const size = Math.abs(largest);
  if (
    !["m", "m/s", "s", "Pa", "N", "N m", "N s", "J", "J/m³", "W", "Hz"].includes(unit) ||
    !(size > 0)
  )
    return { factor: 1, unit };
  const fits = PREFIXES.filter(([p]) => !(SMALL.has(unit) && p > 1));
  const [power, prefix] = fits.find(([p]) => size >= 0.5 * p) ?? fits.at(-1);
  return { factor: 1 / power, unit: prefix + unit };
}

export const digits = (x, n = 3) => (Number.isFinite(x) ? String(Number(x.toPrecision(n))) : "–");

/** Round numbers between two, about `count` of them. */
export function ticks(low, high, count) {
  const span = high - low;
  if (!(span > 0)) return [low];
  const power = 10 ** Math.floor(Math.log10(span / count));
  const step = [1, 2, 2.5, 5, 10].map((m) => m * power).find((s) => span / s <= count);
  const found = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * span; i++)
    found.push(i * step);
  return found;
}

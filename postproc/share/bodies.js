/** Bodies of a run in the scene: each shows a frame. */
import * as THREE from "three";
import { toCreasedNormals } from "three/addons/utils/BufferGeometryUtils.js";
import { exact, quantised, widen } from "./numbers.js";

const PALETTE = [0x6b8cb8, 0xcc9e59, 0x8cad7a, 0xa885ad, 0xc47d6d, 0x6fb0ad];
const LINK = 0xa9adb5;
const CUT = 0xc9d0d8; // of soft bodies: fields inside are not in the page
const CREASE = 0.6; // rad between faces that meet in an edge

/** A material whose back faces behind a section are flat and hatched: what is cut looks filled. */
function filled(material, colour) {
  material.onBeforeCompile = (shader) => {
    shader.uniforms.fill = { value: new THREE.Color(colour) };
    shader.fragmentShader = `uniform vec3 fill;\n${shader.fragmentShader}`.replace(
      "#include <opaque_fragment>",
      `#include <opaque_fragment>
      #if NUM_CLIPPING_PLANES > 0
        float hatch = mod(gl_FragCoord.x + gl_FragCoord.y, 9.0) < 1.0 ? 0.5 : 1.0;
        if (!gl_FrontFacing) gl_FragColor.rgb = hatch * fill;
      #endif`,
    );
  };
  return material;
}

/** Triangles and edges of polygons whose corners are numbered one after another. */
function cut(counts) {
  const faces = [];
  const edges = [];
  const owners = [];
  let start = 0;
  counts.forEach((n, polygon) => {
    for (let i = 0; i < n; i++) {
      edges.push(start + i, start + ((i + 1) % n));
      owners.push(polygon);
      if (i > 1) faces.push(start, start + i - 1, start + i);
    }
    start += n;
  });
  return { faces, edges, owners };
}

function outlined(geometry, edges, colour) {
  const lines = new THREE.BufferGeometry();
  lines.setAttribute("position", geometry.getAttribute("position"));
  lines.setIndex(edges);
  const material = new THREE.LineBasicMaterial({ color: colour, transparent: true, opacity: 0.35 });
  const object = new THREE.LineSegments(lines, material);
  object.frustumCulled = false;
  return object;
}

/** Polygons whose points are given in each frame. */
class Moving {
  async load(body, material) {
    this.name = body.name;
    this.corners = await exact(body.corners);
    this.places = await Promise.all(body.places.map(quantised));
    const { faces, edges, owners } = cut(await exact(body.counts));
    this.owners = owners;
    const geometry = new THREE.BufferGeometry();
    for (const [name, width] of [
      ["position", 3],
      ["uv", 2],
    ]) {
      const numbers = new Float32Array(width * this.corners.length);
      geometry.setAttribute(
        name,
        new THREE.BufferAttribute(numbers, width).setUsage(THREE.DynamicDrawUsage),
      );
    }
    geometry.setIndex(faces);
    this.mesh = new THREE.Mesh(geometry, material);
    this.mesh.frustumCulled = false;
    this.edges = outlined(geometry, edges, 0x101418);
    this.object = new THREE.Group().add(this.mesh, this.edges);
    this.mesh.userData.body = this;
    this.fields = {};
    return this;
  }

  /** Place of a corner of the surface in a frame [m]. */
  corner(k, i) {
    return new THREE.Vector3(...this.places.map((axis) => axis.value(k, this.corners[i])));
  }

  show(k) {
    const { position } = this.mesh.geometry.attributes;
    this.places.forEach(({ frames }, axis) => {
      const { low, step, whole } = frames[k];
      for (let i = 0; i < this.corners.length; i++)
        position.array[3 * i + axis] = low + step * whole[this.corners[i]];
    });
    position.needsUpdate = true;
  }

  /** Arrays with an entry for each frame. */
  get lists() {
    return [...this.places, ...Object.values(this.fields)].map(({ frames }) => frames);
  }

  /** Frames that come later. */
  async add(body) {
    await Promise.all(this.places.map((axis, i) => axis.add(body.places[i])));
  }
}

export class Soft extends Moving {
  async load(body, texture) {
    const look = { map: texture, flatShading: true, side: THREE.DoubleSide };
    await super.load(body, filled(new THREE.MeshLambertMaterial(look), CUT));
    this.packed = body.fields;
    this.edges.visible = false;
    return this;
  }

  async field(name) {
    if (!(name in this.fields))
      this.fields[name] = this.packed[name] && (await quantised(this.packed[name]));
    return this.fields[name];
  }

  async add(body) {
    await super.add(body);
    const names = Object.keys(this.packed);
    await Promise.all(names.map(async (n) => (await this.field(n)).add(body.fields[n])));
  }

  /** Value of a field at a corner, which is of a point or of a cell. */
  value(field, k, i) {
    return field.value(k, field.cells ? this.owners[i] : this.corners[i]);
  }

  colour(k, field, low, high) {
    const { uv } = this.mesh.geometry.attributes;
    const scale = high > low ? 1 / (high - low) : 0;
    for (let i = 0; i < this.corners.length; i++) {
      const share = field ? (this.value(field, k, i) - low) * scale : 0;
      uv.array[2 * i] = (0.5 + 63 * Math.min(1, Math.max(0, share || 0))) / 64;
    }
    uv.needsUpdate = true;
  }
}

export class Rigid {
  async load(body, number) {
    this.name = body.name;
    this.isFloor = body.floor;
    const colour = body.floor
      ? 0xe4e6e9
      : body.name.includes("/")
        ? LINK
        : PALETTE[number % PALETTE.length];
    const look = { color: colour, side: THREE.DoubleSide };
    const material = filled(new THREE.MeshLambertMaterial(look), colour);
    material.transparent = body.floor;
    material.opacity = body.floor ? 0.5 : 1;
    if (body.places) {
      material.flatShading = true;
      this.moving = await new Moving().load(body, material);
      this.object = this.moving.object;
      this.moving.edges.visible = false;
      return this;
    }
    this.motions = [];
    await this.add(body);
    const first = await exact(body.first);
    const corners = await exact(body.corners);
    const { faces } = cut(await exact(body.counts));
    const position = new Float32Array(3 * corners.length);
    corners.forEach((p, i) => position.set(first.subarray(3 * p, 3 * p + 3), 3 * i));
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(position, 3));
    geometry.setIndex(faces);
    const mesh = new THREE.Mesh(toCreasedNormals(geometry, CREASE), material);
    mesh.userData.body = this;
    mesh.matrixAutoUpdate = false;
    mesh.geometry.computeBoundingBox();
    this.object = mesh;
    return this;
  }

  corner(k, i) {
    if (this.moving) return this.moving.corner(k, i);
    const place = new THREE.Vector3().fromBufferAttribute(
      this.object.geometry.attributes.position,
      i,
    );
    return place.applyMatrix4(this.matrix(k));
  }

  get lists() {
    return this.moving?.lists ?? [this.motions];
  }

  matrix(k) {
    return new THREE.Matrix4().set(...this.motions[k], 0, 0, 0, 1);
  }

  async add(body) {
    if (this.moving) return this.moving.add(body);
    const rows = await exact(body.motions);
    for (let i = 0; i < rows.length; i += 12) this.motions.push(rows.subarray(i, i + 12));
  }

  show(k) {
    if (this.moving) return this.moving.show(k);
    this.object.matrix.copy(this.matrix(k));
    this.object.matrixWorldNeedsUpdate = true;
  }

  bounds() {
    return new THREE.Box3().setFromObject(this.object);
  }
}

/** Parts of an array, one after another. */
function parts(array, sizes, width = 1) {
  let end = 0;
  return Array.from(sizes, (size) => array.subarray(end, (end += width * size)));
}

const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);

/** Polygons of contact, coloured by their pressure; faint behind what hides them. */
export class Patches {
  async load(data, texture) {
    this.frames = [];
    this.pressure = data.pressure;
    await this.add(data);
    this.geometry = new THREE.BufferGeometry();
    const look = { map: texture, side: THREE.DoubleSide, polygonOffset: true };
    const front = new THREE.MeshBasicMaterial({
      ...look,
      polygonOffsetFactor: -4,
      polygonOffsetUnits: -8,
    });
    const behind = new THREE.MeshBasicMaterial({
      ...look,
      depthTest: false,
      transparent: true,
      opacity: 0.3,
    });
    this.object = new THREE.Group();
    for (const material of [behind, front]) {
      const mesh = new THREE.Mesh(this.geometry, material);
      mesh.frustumCulled = false;
      mesh.renderOrder = 1;
      this.object.add(mesh);
    }
    return this;
  }

  async add(data) {
    const starts = await exact(data.starts);
    const [numPoints, numPolygons] = [0, 1].map((at) => starts.filter((_, i) => i % 2 === at));
    const pressure = await quantised(data.pressure);
    const counts = parts(await exact(data.counts), numPolygons);
    const corners = parts(await exact(data.corners), counts.map(sum));
    const places = parts(await exact(data.places), numPoints, 3);
    let first = 0;
    counts.forEach((ofPolygons, k) => {
      const from = first;
      const value = (p) => pressure.value(from + p, 0);
      this.frames.push({ counts: ofPolygons, corners: corners[k], places: places[k], value });
      first += numPoints[k];
    });
    widen(this.pressure, data.pressure);
  }

  get high() {
    return this.pressure.high;
  }

  show(k) {
    const { counts, corners, places, value } = this.frames[k];
    const { faces } = cut(counts);
    const position = new Float32Array(3 * corners.length);
    const uv = new Float32Array(2 * corners.length);
    corners.forEach((p, i) => {
      position.set(places.subarray(3 * p, 3 * p + 3), 3 * i);
      uv[2 * i] = (0.5 + 63 * Math.max(0, this.high > 0 ? value(p) / this.high : 0)) / 64;
    });
    this.geometry.dispose();
    this.geometry.setAttribute("position", new THREE.BufferAttribute(position, 3));
    this.geometry.setAttribute("uv", new THREE.BufferAttribute(uv, 2));
    this.geometry.setIndex(faces);
    this.object.visible = this.isOn !== false && faces.length > 0;
  }
}

/** Forces on bodies as arrows, as long as they are large. */
export class Arrows {
  async load(data, length) {
    this.frames = [];
    this.tops = []; // of frames, ascending
    await this.add(data);
    this.length = length;
    const shape = new THREE.LatheGeometry(
      [
        [0.012, 0],
        [0.012, 0.8],
        [0.04, 0.8],
        [0, 1],
      ].map(([x, y]) => new THREE.Vector2(x, y)),
      16,
    );
    const most = Math.max(...this.frames.map((rows) => rows.length / 6));
    const material = new THREE.MeshBasicMaterial({
      color: 0xc81e3a,
      transparent: true,
      opacity: 0.8,
      depthTest: false,
    });
    this.object = new THREE.InstancedMesh(shape, material, 2 * most + 16);
    this.object.frustumCulled = false;
    this.object.renderOrder = 2;
    return this;
  }

  async add(data) {
    for (const rows of parts(await exact(data.rows), await exact(data.starts), 6)) {
      this.frames.push(rows);
      if (rows.length / 6 > this.object?.instanceMatrix.count) throw new Error("more arrows");
      let top = 0;
      for (let i = 0; i < rows.length; i += 6)
        top = Math.max(top, Math.hypot(...rows.subarray(i + 3, i + 6)));
      if (top > 0) this.tops.push(top);
    }
    const { tops } = this;
    tops.sort((a, b) => a - b);
    this.most = tops.length ? Math.min(tops.at(-1), 3 * tops[tops.length >> 1]) : 0;
    this.isCut = this.most < tops.at(-1); // impacts
  }

  show(k) {
    const up = new THREE.Vector3(0, 1, 0);
    const matrix = new THREE.Matrix4();
    let count = 0;
    for (const row of parts(this.frames[k], Array(this.frames[k].length / 6).fill(6))) {
      const force = new THREE.Vector3(row[3], row[4], row[5]);
      const size = force.length();
      if (!(size > 1e-3 * this.most)) continue;
      const turn = new THREE.Quaternion().setFromUnitVectors(up, force.normalize());
      const long = this.length * Math.min(1, size / this.most);
      const wide = Math.max(long, 0.35 * this.length);
      matrix.compose(
        new THREE.Vector3(row[0], row[1], row[2]),
        turn,
        new THREE.Vector3(wide, long, wide),
      );
      this.object.setMatrixAt(count++, matrix);
    }
    this.object.count = count;
    this.object.instanceMatrix.needsUpdate = true;
  }
}

export class Cables {
  async load(data) {
    this.frames = [];
    await this.add(data);
    this.geometry = new THREE.BufferGeometry();
    this.object = new THREE.LineSegments(
      this.geometry,
      new THREE.LineBasicMaterial({ color: 0x1b2a4a }),
    );
    this.object.frustumCulled = false;
    return this;
  }

  async add(data) {
    this.frames.push(...parts(await exact(data.rows), await exact(data.starts), 3));
  }

  show(k) {
    this.geometry.dispose();
    this.geometry.setAttribute("position", new THREE.BufferAttribute(this.frames[k], 3));
  }
}

/** Canvas with the scene: camera, light, section, and marks drawn over it. */
import * as THREE from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { digits, ticks } from "./numbers.js";

/** Directions from which to look. */
export const VIEWS = {
  front: [0, -1, 0.2],
  back: [0, 1, 0.2],
  left: [-1, 0, 0.2],
  right: [1, 0, 0.2],
  top: [0, -0.001, 1],
  iso: [-0.6, -1, 0.6],
};
/** Directions of view on soft bodies that are thinnest along x, y, z. */
const AUTO = [
  [-1, -0.4, 0.3],
  [-0.4, -1, 0.3],
  [-0.3, -0.4, 1],
];
const AXES = ["#d0384a", "#3a9a4a", "#3a6fd0"];

/** Whether a processor draws in place of a graphics card. */
function isSoftware() {
  const probe = document.createElement("canvas").getContext("webgl2");
  if (!probe) throw new Error("this browser has no WebGL 2");
  const names = probe.getExtension("WEBGL_debug_renderer_info");
  const name = names ? probe.getParameter(names.UNMASKED_RENDERER_WEBGL) : "";
  probe.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|software/i.test(name);
}

export class Viewer {
  constructor(canvas, overlay) {
    this.canvas = canvas;
    this.overlay = overlay;
    this.renderer = new THREE.WebGLRenderer({
      canvas,
      antialias: !isSoftware(),
      preserveDrawingBuffer: true,
    });
    this.scene = new THREE.Scene();
    this.camera = new THREE.OrthographicCamera();
    this.camera.up.set(0, 0, 1);
    const lamp = new THREE.DirectionalLight(0xffffff, 1.7);
    lamp.position.set(-0.4, 0.7, 1);
    this.camera.add(lamp, lamp.target);
    this.scene.add(this.camera, new THREE.AmbientLight(0xffffff, 1.9));
    this.controls = new OrbitControls(this.camera, overlay);
    this.controls.enableDamping = false;
    this.controls.addEventListener("change", () => this.draw());
    this.plane = new THREE.Plane();
    this.marks = [];
    this.bars = [];
    this.notes = [];
    this.radius = 1;
  }

  /** A box that the picture is to hold, in which the thinnest side says from where to look. */
  hold(box, softs, isStill) {
    this.box = box;
    this.radius = Math.max(box.getSize(new THREE.Vector3()).length() / 2, 1e-9);
    const size = softs.isEmpty() ? null : softs.getSize(new THREE.Vector3()).toArray();
    this.auto = size ? AUTO[size.indexOf(Math.min(...size))] : VIEWS.iso;
    if (!isStill) this.look(this.auto);
  }

  look(direction) {
    const middle = this.box.getCenter(new THREE.Vector3());
    const from = new THREE.Vector3(...direction).normalize();
    this.controls.target.copy(middle);
    this.camera.position.copy(middle).addScaledVector(from, 6 * this.radius);
    this.camera.near = 0.01 * this.radius;
    this.camera.far = 40 * this.radius;
    this.camera.zoom = 1;
    this.controls.update();
    this.camera.updateMatrixWorld();
    this.frame();
  }

  /** Half of the picture's height [m] at a zoom of one, so that all of the box is seen. */
  frame() {
    let [across, along] = [1e-9, 1e-9];
    for (let i = 0; i < 8; i++) {
      const { min, max } = this.box;
      const corner = new THREE.Vector3(
        i & 1 ? max.x : min.x,
        i & 2 ? max.y : min.y,
        i & 4 ? max.z : min.z,
      );
      corner.applyMatrix4(this.camera.matrixWorldInverse);
      across = Math.max(across, Math.abs(corner.x));
      along = Math.max(along, Math.abs(corner.y));
    }
    const free = Math.max(0.6, 1 - 220 / this.width); // colour bars stand at the right
    this.half = 1.18 * Math.max(along, across / (this.aspect * free));
    this.resize();
  }

  get width() {
    return this.overlay.clientWidth || 1;
  }

  get aspect() {
    return this.width / (this.overlay.clientHeight || 1);
  }

  resize() {
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    const [width, height] = [this.width, this.overlay.clientHeight];
    this.renderer.setPixelRatio(ratio);
    this.renderer.setSize(width, height, false);
    [this.overlay.width, this.overlay.height] = [width * ratio, height * ratio];
    const shift = this.bars.length ? 50 * ((2 * this.half) / height) : 0;
    Object.assign(this.camera, { top: this.half, bottom: -this.half });
    this.camera.left = -this.half * this.aspect + shift;
    this.camera.right = this.half * this.aspect + shift;
    this.camera.updateProjectionMatrix();
    this.draw();
  }

  /** Cut away what is beyond a share of the box along an axis; no axis: nothing. */
  section(axis, share, isTurned) {
    const way = new THREE.Vector3().setComponent(axis ?? 0, isTurned ? 1 : -1);
    const at = this.box.min.clone().lerp(this.box.max, share);
    this.plane.setFromNormalAndCoplanarPoint(way, at);
    this.renderer.clippingPlanes = axis === null ? [] : [this.plane];
    this.cut =
      axis === null
        ? ""
        : `section ${"xyz"[axis]} = ${digits(1e3 * at.getComponent(axis))} mm, cut faces hatched`;
    this.draw();
  }

  colours() {
    const style = getComputedStyle(document.documentElement);
    return {
      ink: style.getPropertyValue("--ink").trim(),
      paper: style.getPropertyValue("--view").trim(),
    };
  }

  draw() {
    if (this.isAsked) return;
    this.isAsked = true;
    requestAnimationFrame(() => this.drawNow());
  }

  drawNow() {
    this.isAsked = false;
    this.renderer.setClearColor(this.colours().paper);
    this.renderer.render(this.scene, this.camera);
    this.drawOver();
  }

  /** Pixel of a place [m]. */
  pixel(place) {
    const p = place.clone().project(this.camera);
    return [((p.x + 1) / 2) * this.width, ((1 - p.y) / 2) * this.overlay.clientHeight];
  }

  drawOver() {
    const pen = this.overlay.getContext("2d");
    const ratio = this.overlay.width / this.width;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, this.width, this.overlay.clientHeight);
    pen.font = "12px system-ui, sans-serif";
    pen.fillStyle = pen.strokeStyle = this.colours().ink;
    pen.lineWidth = 1.5;
    this.drawBars(pen);
    this.drawRuler(pen);
    this.drawAxes(pen);
    this.drawMarks(pen);
    pen.textAlign = "left";
    [...this.notes, this.cut]
      .filter(Boolean)
      .forEach((note, i) => pen.fillText(note, 14, 22 + 17 * i));
  }

  drawBars(pen) {
    const height = Math.min(190, (this.width < 500 ? 0.2 : 0.3) * this.overlay.clientHeight);
    const x = this.width - 92;
    let y = 40;
    for (const { title, low, high, map } of this.bars) {
      const ramp = pen.createLinearGradient(0, y + height, 0, y);
      map.forEach((c, i) => ramp.addColorStop(i / (map.length - 1), `rgb(${c})`));
      pen.textAlign = "right";
      pen.fillText(title, this.width - 12, y - 12);
      pen.textAlign = "left";
      const ink = pen.fillStyle;
      pen.fillStyle = ramp;
      pen.fillRect(x, y, 16, height);
      pen.fillStyle = ink;
      for (const tick of ticks(low, high, 5)) {
        const at = y + height * (1 - (high > low ? (tick - low) / (high - low) : 0));
        pen.fillRect(x + 16, at - 0.5, 5, 1);
        pen.fillText(digits(tick, 4), x + 25, at + 4);
      }
      y += height + 54;
    }
  }

  drawRuler(pen) {
    const pixels = (this.overlay.clientHeight * this.camera.zoom) / (2 * this.half); // a metre
    const round = ticks(0, Math.min(200, 0.3 * this.width) / pixels, 3).at(-1);
    const [x, y] = [this.width / 2, this.overlay.clientHeight - 16];
    const half = (round * pixels) / 2;
    pen.beginPath();
    for (const [px, py] of [
      [x - half, y - 5],
      [x - half, y],
      [x + half, y],
      [x + half, y - 5],
    ])
      pen.lineTo(px, py);
    pen.stroke();
    pen.textAlign = "center";
    pen.fillText(round < 1 ? `${digits(1e3 * round)} mm` : `${digits(round)} m`, x, y - 8);
  }

  drawAxes(pen) {
    const [x, y] = [46, this.overlay.clientHeight - 44];
    const ink = pen.fillStyle;
    const turn = this.camera.quaternion.clone().invert();
    const ways = [0, 1, 2].map((i) =>
      new THREE.Vector3().setComponent(i, 30).applyQuaternion(turn),
    );
    pen.textAlign = "center";
    for (const i of [0, 1, 2].sort((a, b) => ways[a].z - ways[b].z)) {
      pen.strokeStyle = pen.fillStyle = AXES[i];
      pen.beginPath();
      pen.moveTo(x, y);
      pen.lineTo(x + ways[i].x, y - ways[i].y);
      pen.stroke();
      pen.fillText("xyz"[i], x + 1.3 * ways[i].x, y - 1.3 * ways[i].y + 4);
    }
    pen.strokeStyle = pen.fillStyle = ink;
  }

  drawMarks(pen) {
    const spots = this.marks.map(({ place, text }) => ({ at: this.pixel(place), text }));
    if (spots.length > 1) {
      pen.setLineDash([5, 4]);
      pen.beginPath();
      spots.forEach(({ at }) => pen.lineTo(...at));
      pen.stroke();
      pen.setLineDash([]);
    }
    pen.textAlign = "left";
    for (const { at, text } of spots) {
      pen.beginPath();
      pen.arc(...at, 4, 0, 7);
      pen.stroke();
      const [ink, wide] = [pen.fillStyle, pen.measureText(text).width];
      const x = Math.min(at[0] + 9, this.width - wide - 8);
      pen.fillStyle = this.colours().paper;
      pen.globalAlpha = 0.8;
      pen.fillRect(x - 3, at[1] - 22, wide + 6, 17);
      pen.globalAlpha = 1;
      pen.fillStyle = ink;
      pen.fillText(text, x, at[1] - 9);
    }
  }

  /** Body and nearest corner of its surface below a place of the pointer. */
  pick(x, y, meshes) {
    const at = new THREE.Vector2((2 * x) / this.width - 1, 1 - (2 * y) / this.overlay.clientHeight);
    const ray = new THREE.Raycaster();
    ray.setFromCamera(at, this.camera);
    for (const mesh of meshes) mesh.geometry.boundingSphere = null; // of another frame
    const isCut = (p) => this.renderer.clippingPlanes.some((plane) => plane.distanceToPoint(p) < 0);
    const hit = ray.intersectObjects(meshes, false).find(({ point }) => !isCut(point));
    if (!hit) return null;
    const { position } = hit.object.geometry.attributes;
    const away = (i) =>
      new THREE.Vector3()
        .fromBufferAttribute(position, i)
        .applyMatrix4(hit.object.matrixWorld)
        .distanceTo(hit.point);
    const corner = [hit.face.a, hit.face.b, hit.face.c].sort((a, b) => away(a) - away(b))[0];
    return { body: hit.object.userData.body, corner };
  }

  /** Canvas and what is drawn over it as one picture. */
  picture() {
    this.drawNow();
    const both = document.createElement("canvas");
    [both.width, both.height] = [this.overlay.width, this.overlay.height];
    both.getContext("2d").drawImage(this.canvas, 0, 0);
    both.getContext("2d").drawImage(this.overlay, 0, 0);
    return both;
  }
}

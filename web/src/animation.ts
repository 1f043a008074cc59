// The animation: bodies, lines and arrows of geometry.csv in three dimensions. A script of its own, in pages that have something
// to move.

import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import type { Animation, AnimationInput } from "./animation_input";
import type { ScenePart, Shape } from "./data";
import { el, on_resize } from "./dom";
import { download } from "./download";
import { number } from "./format";

const body_colours = [0x2f7fb8, 0xd5793a, 0x2f9e77, 0xb56a94, 0xc79a2c, 0x6aa9cf, 0x8a949c];
const arrow_colour = 0xd6336c;

/** Where in a row the numbers of an object begin, and what to do with them. */
interface Placed {
  first: number;
  apply(at: (column: number) => number, whole: (column: number) => number): void;
}

function geometry_of(shape: Shape, reach: number): THREE.BufferGeometry {
  const [a, b, c] = shape.size;
  switch (shape.kind) {
    case "sphere":
      return new THREE.SphereGeometry(Math.max(a, 1e-4 * reach), 32, 20);
    case "box":
      return new THREE.BoxGeometry(2 * a, 2 * b, 2 * c);
    // Those of three.js run along y, ours along z.
    case "cylinder":
      return new THREE.CylinderGeometry(a, a, b, 32).rotateX(Math.PI / 2);
    case "capsule":
      return new THREE.CapsuleGeometry(a, b, 10, 24).rotateX(Math.PI / 2);
    case "plane":
      return new THREE.PlaneGeometry(60 * reach, 60 * reach);
  }
}

function place_shape(mesh: THREE.Object3D, shape: Shape): void {
  mesh.position.set(...shape.position);
  const [w, x, y, z] = shape.orientation;
  mesh.quaternion.set(x, y, z, w);
}

class Player implements Animation {
  private readonly renderer: THREE.WebGLRenderer;
  private readonly scene = new THREE.Scene();
  private readonly camera = new THREE.PerspectiveCamera(38, 16 / 9, 0.01, 1000);
  private readonly controls: OrbitControls;
  private readonly placed: Placed[] = [];
  private readonly arrows: THREE.Object3D[] = [];
  private readonly grounds: THREE.Material[] = [];
  private readonly frames: number;
  private readonly box = new THREE.Box3();
  private readonly up = new THREE.Vector3(0, 0, 1);
  private planar = false;
  private ground: number | null = null; // height of the plane that a machine stands on
  private cell = 1; // of the grid
  private readonly grids: THREE.GridHelper[] = [];
  private followed: THREE.Object3D | null = null;
  private readonly seen_at = new THREE.Vector3(); // where what is followed was
  private recorder: MediaRecorder | null = null;
  private readonly record_button: HTMLButtonElement;
  private reach = 1;
  private time: number;
  private playing = false;
  private speed = 1;
  private last = 0;
  private readonly slider: HTMLInputElement;
  private readonly clock: HTMLOutputElement;
  private readonly play_button: HTMLButtonElement;

  constructor(private readonly input: AnimationInput) {
    this.frames = input.times.length;
    this.time = input.times[0] ?? 0;
    this.renderer = new THREE.WebGLRenderer({ antialias: true, preserveDrawingBuffer: true });
    this.renderer.setPixelRatio(Math.min(2, window.devicePixelRatio));
    this.renderer.domElement.setAttribute("role", "img");
    this.renderer.domElement.setAttribute("aria-label", "Animation of the system");
    this.renderer.domElement.tabIndex = 0;
    this.controls = new OrbitControls(this.camera, this.renderer.domElement);
    this.measure();
    this.light();
    const bodies = this.make_objects();
    this.make_grid();
    this.set_dark(input.dark);

    const from = input.times[0] ?? 0;
    const to = input.times[this.frames - 1] ?? 1;
    this.slider = el("input", { type: "range", min: from, max: to, step: "any", value: from, "aria-label": "Time" });
    this.slider.addEventListener("input", () => this.go(Number(this.slider.value)));
    this.clock = el("output", { class: "time" });
    this.play_button = el("button", { type: "button", click: () => this.toggle() }, "Play");
    const speeds = [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10];
    const speed = el("select", { "aria-label": "Speed" }, ...speeds.map((s) => el("option", { value: s, selected: s === 1 }, `${s} ×`)));
    speed.addEventListener("change", () => (this.speed = Number(speed.value)));
    const views = el("select", { "aria-label": "View" }, ...["Oblique", "Front", "Side", "Top"].map((name) => el("option", { value: name }, name)));
    if (this.planar) views.value = "Front";
    views.addEventListener("change", () => this.look_from(views.value));
    const follow = el("select", { "aria-label": "Follow" }, el("option", { value: "" }, "nothing"), ...bodies.map(([name], index) => el("option", { value: index }, name)));
    follow.addEventListener("change", () => {
      this.followed = follow.value === "" ? null : ((bodies[Number(follow.value)] as [string, THREE.Object3D])[1] ?? null);
      if (this.followed) this.seen_at.copy(this.followed.position);
    });
    this.record_button = el("button", { type: "button", click: () => this.record() }, "Video");
    const can_record = typeof MediaRecorder !== "undefined" && typeof this.renderer.domElement.captureStream === "function";
    const forces = el("input", { type: "checkbox", checked: true });
    forces.addEventListener("change", () => {
      for (const arrow of this.arrows) arrow.parent!.visible = forces.checked;
      this.draw();
    });
    const has_arrows = this.arrows.length > 0;
    input.place.append(
      this.renderer.domElement,
      el(
        "div",
        { class: "controls no-print" },
        this.play_button,
        this.slider,
        this.clock,
        el("label", {}, "Speed ", speed),
        el("label", {}, "View ", views),
        bodies.length > 0 ? el("label", {}, "Follow ", follow) : null,
        has_arrows ? el("label", {}, forces, " Forces") : null,
        el("button", { type: "button", "aria-label": "Save this picture as PNG", click: () => this.save_picture() }, "PNG"),
        can_record ? this.record_button : null,
      ),
      el("p", { class: "key" }, `Drag: rotate · Wheel: zoom · Right button: pan.${has_arrows ? " Arrow lengths are scaled separately for contacts, actuators and bonds." : ""} Space: play/pause. Grid: ${number(this.cell)} m per square; axes: x red, y green, z blue.`),
    );
    this.renderer.domElement.addEventListener("keydown", (event) => {
      if (event.key !== " ") return;
      event.preventDefault();
      this.toggle();
    });
    this.controls.addEventListener("change", () => this.draw());
    on_resize(input.place, () => this.resize());
    this.look_from(this.planar ? "Front" : "Oblique");
    this.resize();
    this.seek(this.time);
    (window as unknown as Record<string, unknown>)["ergon_animation"] = this; // for tests and pictures
  }

  set_dark(dark: boolean): void {
    const sky = dark ? 0x1a2228 : 0xe9eff3;
    this.scene.background = new THREE.Color(sky);
    this.scene.fog = new THREE.Fog(sky, 4 * this.reach, 16 * this.reach);
    for (const ground of this.grounds) (ground as THREE.MeshStandardMaterial).color.set(dark ? 0x2c363d : 0xcfd8de);
    for (const grid of this.grids) {
      const lines = grid.material as THREE.LineBasicMaterial;
      lines.vertexColors = false;
      lines.color.set(dark ? 0x45525c : 0xaab6bf);
      lines.needsUpdate = true;
    }
    this.draw();
  }

  toggle(): void {
    this.playing = !this.playing;
    this.play_button.textContent = this.playing ? "Pause" : "Play";
    const end = this.input.times[this.frames - 1] ?? 0;
    // The last picture is seen for a moment.
    const { recorder } = this;
    if (!this.playing && recorder) setTimeout(() => recorder.state !== "inactive" && recorder.stop(), 400);
    if (this.playing && this.time >= end) this.time = this.input.times[0] ?? 0;
    this.last = performance.now();
    if (this.playing) requestAnimationFrame((now) => this.tick(now));
  }

  /** To a time that was chosen here: plots follow. */
  private go(time: number): void {
    this.seek(time);
    this.input.moved(time);
  }

  /** The run from its start to its end, at the speed chosen, as the browser's own recorder makes it; or ends it. */
  private record(): void {
    if (this.recorder) {
      if (this.playing) this.toggle();
      else this.recorder.stop();
      return;
    }
    const recorder = new MediaRecorder(this.renderer.domElement.captureStream(30));
    const parts: Blob[] = [];
    recorder.addEventListener("dataavailable", (event) => parts.push(event.data));
    recorder.addEventListener("stop", () => {
      this.recorder = null;
      this.record_button.textContent = "Video";
      download("animation.webm", new Blob(parts, { type: recorder.mimeType }));
    });
    this.recorder = recorder;
    this.record_button.textContent = "Stop";
    this.go(this.input.times[0] ?? 0);
    recorder.start();
    if (!this.playing) this.toggle();
  }

  private save_picture(): void {
    this.draw();
    this.renderer.domElement.toBlob((blob) => {
      if (blob) download(`animation-${number(this.time, 5)}s.png`, blob);
    });
  }

  seek(time: number): void {
    this.time = time;
    this.slider.value = String(time);
    this.clock.textContent = `${number(time, 5)} s`;
    const { times, values } = this.input;
    let i = 0;
    let high = this.frames - 1;
    while (i < high) {
      const middle = (i + high + 1) >> 1;
      if ((times[middle] as number) <= time) i = middle;
      else high = middle - 1;
    }
    const j = Math.min(i + 1, this.frames - 1);
    const width = (times[j] as number) - (times[i] as number);
    const share = width > 0 ? (time - (times[i] as number)) / width : 0;
    const whole = (column: number): number => values[column * this.frames + i] as number;
    const at = (column: number): number => {
      const left = whole(column);
      const right = values[column * this.frames + j] as number;
      return Number.isNaN(right) ? left : left + share * (right - left);
    };
    for (const object of this.placed) object.apply(at, whole);
    if (this.followed) {
      const moved = this.followed.position.clone().sub(this.seen_at);
      this.seen_at.copy(this.followed.position);
      this.camera.position.add(moved);
      this.controls.target.add(moved);
      this.controls.update();
    }
    this.draw();
  }

  /** For pictures: from such a direction, so near (1: as large as it fits). */
  look_along(x: number, y: number, z: number, nearness = 1): void {
    const centre = this.box.getCenter(new THREE.Vector3());
    const radius = this.box.getBoundingSphere(new THREE.Sphere()).radius;
    const vertical = (this.camera.fov * Math.PI) / 360;
    const narrow = Math.min(vertical, Math.atan(Math.tan(vertical) * this.camera.aspect));
    const distance = radius / Math.sin(narrow) / nearness;
    this.camera.up.copy(this.up);
    this.camera.position.copy(centre).addScaledVector(new THREE.Vector3(x, y, z).normalize(), distance);
    this.camera.near = distance / 200;
    this.camera.far = distance * 20;
    this.camera.updateProjectionMatrix();
    this.controls.target.copy(centre);
    this.controls.update();
    this.draw();
  }

  private look_from(view: string): void {
    const z_up = this.up.z > 0.5;
    const views: Record<string, [number, number, number]> = z_up
      ? { Oblique: [0.6, -1, 0.45], Front: [0, -1, 0.02], Side: [1, 0, 0.02], Top: [0, -0.02, 1] }
      : { Oblique: [0.6, 0.45, 1], Front: [0, 0, 1], Side: [1, 0.02, 0], Top: [0, 1, 0.02] };
    this.look_along(...(views[view] ?? [1, 1, 1]), 1.25);
  }

  private tick(now: number): void {
    if (!this.playing) return;
    const end = this.input.times[this.frames - 1] ?? 0;
    const next = this.time + ((now - this.last) / 1000) * this.speed;
    this.last = now;
    this.go(Math.min(next, end));
    if (next >= end) this.toggle();
    else requestAnimationFrame((later) => this.tick(later));
  }

  private draw(): void {
    this.renderer.render(this.scene, this.camera);
  }

  private resize(): void {
    const width = this.input.place.clientWidth;
    if (width === 0) return;
    const height = Math.round(Math.min(width * (width < 500 ? 0.85 : 0.6), 620));
    this.renderer.setSize(width, height, false);
    this.renderer.domElement.style.height = `${height}px`;
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.draw();
  }

  /** Columns of all parts in the order of geometry.csv. */
  private each_part(visit: (part: ScenePart, first: { bodies: number[]; lines: number[]; arrows: number[] }) => void): void {
    let column = 0;
    for (const part of this.input.scene) {
      const first = { bodies: [] as number[], lines: [] as number[], arrows: [] as number[] };
      for (const body of part.bodies) {
        first.bodies.push(column);
        if (!body.fixed) column += 7;
      }
      for (const line of part.lines) {
        first.lines.push(column);
        column += 3 * line.points;
      }
      for (let i = 0; i < part.arrows.length; ++i) {
        first.arrows.push(column);
        column += 6;
      }
      visit(part, first);
    }
  }

  /** How large everything is, over the whole run. */
  private measure(): void {
    const { values } = this.input;
    const stride = Math.max(1, Math.floor(this.frames / 60));
    const grow = (column: number, margin: number): void => {
      for (let i = 0; i < this.frames; i += stride) {
        const p = new THREE.Vector3(...[0, 1, 2].map((k) => values[(column + k) * this.frames + i] as number));
        if (!Number.isFinite(p.x + p.y + p.z)) continue;
        this.box.expandByPoint(p.clone().addScalar(margin));
        this.box.expandByPoint(p.addScalar(-margin));
      }
    };
    const up = new THREE.Vector3();
    let flat = true;
    this.each_part((part, first) => {
      up.add(new THREE.Vector3(...part.up));
      part.bodies.forEach((body, i) => {
        const margin = Math.max(0, ...body.shapes.filter((s) => s.kind !== "plane").map((s) => Math.hypot(...s.position) + size_of(s)));
        if (!body.fixed) grow(first.bodies[i] as number, 0.7 * margin);
        else for (const s of body.shapes) if (s.kind !== "plane") this.box.expandByPoint(new THREE.Vector3(...s.position));
        if (body.shapes.some((s) => s.kind === "plane" || s.kind === "box")) flat = false;
      });
      part.lines.forEach((line, i) => {
        for (let k = 0; k < line.points; ++k) grow((first.lines[i] as number) + 3 * k, line.radius);
      });
    });
    if (this.box.isEmpty()) this.box.set(new THREE.Vector3(-1, -1, -1), new THREE.Vector3(1, 1, 1));
    const size = this.box.getSize(new THREE.Vector3());
    this.reach = Math.max(size.x, size.y, size.z, 1e-3);
    this.planar = flat && size.z < 0.2 * this.reach;
    if (up.length() > 0) this.up.copy(up.normalize());
    else this.up.set(0, this.planar ? 1 : 0, this.planar ? 0 : 1);
    if (Math.abs(this.up.z) <= 0.5 && Math.abs(this.up.y) <= 0.5) this.up.set(0, 0, 1);
  }

  private light(): void {
    this.scene.add(new THREE.HemisphereLight(0xffffff, 0x8090a0, 1.6));
    const sun = new THREE.DirectionalLight(0xffffff, 2.2);
    const side = this.up.z > 0.5 ? new THREE.Vector3(0.5, -0.8, 1.4) : new THREE.Vector3(0.6, 1.4, 1.0);
    const centre = this.box.getCenter(new THREE.Vector3());
    sun.position.copy(centre).addScaledVector(side, this.reach);
    sun.target.position.copy(centre);
    sun.castShadow = true;
    sun.shadow.mapSize.set(2048, 2048);
    const half = 0.9 * this.reach;
    Object.assign(sun.shadow.camera, { left: -half, right: half, top: half, bottom: -half, near: 0.01 * this.reach, far: 6 * this.reach });
    sun.shadow.bias = -0.0005;
    this.scene.add(sun, sun.target);
    this.renderer.shadowMap.enabled = true;
  }

  private material(colour: number): THREE.MeshStandardMaterial {
    return new THREE.MeshStandardMaterial({ color: colour, roughness: 0.55, metalness: 0.1 });
  }

  /** A floor below everything, or at the ground that a machine has; of what moves in a plane also a grid behind it. */
  private make_grid(): void {
    const rough = this.reach / 5;
    const power = 10 ** Math.floor(Math.log10(rough));
    this.cell = power * ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10);
    const cells = 20;
    const centre = this.box.getCenter(new THREE.Vector3());
    const whole = (x: number): number => this.cell * Math.round(x / this.cell);
    const add = (): THREE.GridHelper => {
      const grid = new THREE.GridHelper(cells * this.cell, cells);
      this.grids.push(grid);
      this.scene.add(grid);
      return grid;
    };
    const floor = add();
    const z_up = this.up.z > 0.5;
    if (z_up) floor.rotateX(Math.PI / 2);
    const bottom = (z_up ? this.box.min.z : this.box.min.y) - 0.002 * this.reach;
    const at = new THREE.Vector3(whole(centre.x), z_up ? whole(centre.y) : bottom, z_up ? bottom : whole(centre.z));
    if (this.ground !== null) at[z_up ? "z" : "y"] = this.ground + 0.001 * this.reach;
    floor.position.copy(at);
    if (this.planar && !z_up) {
      const wall = add();
      wall.rotateX(Math.PI / 2);
      wall.position.set(whole(centre.x), whole(centre.y), this.box.min.z - 0.05 * this.reach);
    }
    const axes = new THREE.AxesHelper(this.cell);
    axes.position.copy(at);
    if (z_up) axes.position.z += 0.002 * this.reach;
    else axes.position.y += 0.002 * this.reach;
    this.scene.add(axes);
  }

  /** Bodies that move, by name. */
  private make_objects(): [string, THREE.Object3D][] {
    const bodies: [string, THREE.Object3D][] = [];
    let colour = 0;
    const longest = { contact: 0, actuator: 0, bond: 0 };
    this.each_part((part, first) => {
      part.bodies.forEach((body, i) => {
        const group = new THREE.Group();
        const material = body.fixed ? this.material(0x77828a) : this.material(body_colours[colour++ % body_colours.length] as number);
        for (const shape of body.shapes) {
          const is_ground = shape.kind === "plane";
          const own = is_ground ? new THREE.MeshStandardMaterial({ color: 0xcfd8de, roughness: 0.95 }) : material;
          if (is_ground) this.grounds.push(own);
          const mesh = new THREE.Mesh(geometry_of(shape, this.reach), own);
          place_shape(mesh, shape);
          if (is_ground) {
            // As far as the machine is, not about the origin.
            const centre = this.box.getCenter(new THREE.Vector3());
            const normal = new THREE.Vector3(0, 0, 1).applyQuaternion(mesh.quaternion);
            const height = normal.dot(centre.clone().sub(mesh.position));
            mesh.position.copy(centre).addScaledVector(normal, -height);
            if (normal.dot(this.up) > 0.99) this.ground = mesh.position.dot(this.up);
          }
          mesh.castShadow = !is_ground;
          mesh.receiveShadow = true;
          group.add(mesh);
        }
        // A body that nobody gave a shape is seen as a point.
        if (body.shapes.length === 0 && !body.fixed) group.add(new THREE.Mesh(new THREE.SphereGeometry(0.025 * this.reach, 24, 16), material));
        this.scene.add(group);
        if (!body.fixed) {
          this.placed.push(moving_body(group, first.bodies[i] as number));
          bodies.push([part.owner && part.owner !== body.name ? `${part.owner}: ${body.name}` : body.name, group]);
        }
      });
      part.lines.forEach((line, i) => {
        const radius = Math.max(line.radius, 0.004 * this.reach);
        const object = new THREE.Group();
        const material = this.material(body_colours[colour++ % body_colours.length] as number);
        for (let k = 0; k + 1 < line.points; ++k) {
          const piece = new THREE.Mesh(new THREE.CylinderGeometry(radius, radius, 1, 16), material);
          piece.castShadow = piece.receiveShadow = true;
          object.add(piece);
        }
        this.scene.add(object);
        this.placed.push(moving_line(object, first.lines[i] as number));
      });
      part.arrows.forEach((name, i) => {
        const column = first.arrows[i] as number;
        const kind = part.owner === "" ? "bond" : name.startsWith("contact ") ? "contact" : "actuator";
        for (let k = 0; k < this.frames; ++k) {
          const force = Math.hypot(...[3, 4, 5].map((c) => this.input.values[(column + c) * this.frames + k] as number));
          if (force > longest[kind]) longest[kind] = force;
        }
      });
    });
    // Arrows are scaled by the strongest force of their kind, so lengths are known only now.
    this.each_part((part, first) => {
      part.arrows.forEach((name, i) => {
        const kind = part.owner === "" ? "bond" : name.startsWith("contact ") ? "contact" : "actuator";
        if (longest[kind] === 0) return;
        const holder = new THREE.Group();
        const arrow = this.make_arrow();
        holder.add(arrow);
        this.scene.add(holder);
        this.arrows.push(arrow);
        this.placed.push(moving_arrow(arrow, first.arrows[i] as number, (0.3 * this.reach) / longest[kind]));
      });
    });
    return bodies;
  }

  /** One long, along y. */
  private make_arrow(): THREE.Object3D {
    const material = new THREE.MeshBasicMaterial({ color: arrow_colour });
    const thick = 0.006 * this.reach;
    const shaft = new THREE.Mesh(new THREE.CylinderGeometry(thick, thick, 1, 12).translate(0, 0.5, 0), material);
    const tip = new THREE.Mesh(new THREE.ConeGeometry(3 * thick, 8 * thick, 16), material);
    const arrow = new THREE.Group();
    arrow.add(shaft, tip);
    return arrow;
  }
}

function size_of(shape: Shape): number {
  const [a, b, c] = shape.size;
  if (shape.kind === "box") return Math.hypot(a, b, c);
  return shape.kind === "sphere" ? a : a + b / 2;
}

function moving_body(group: THREE.Group, first: number): Placed {
  const apply = (at: (column: number) => number): void => {
    group.position.set(at(first), at(first + 1), at(first + 2));
    // Frames are near each other: the normalised mean of two quaternions is as good as the arc between them.
    group.quaternion.set(at(first + 4), at(first + 5), at(first + 6), at(first + 3)).normalize();
  };
  return { first, apply };
}

const y_axis = new THREE.Vector3(0, 1, 0);

function moving_line(group: THREE.Group, first: number): Placed {
  const from = new THREE.Vector3();
  const to = new THREE.Vector3();
  const apply = (at: (column: number) => number): void => {
    group.children.forEach((piece, k) => {
      const c = first + 3 * k;
      from.set(at(c), at(c + 1), at(c + 2));
      to.set(at(c + 3), at(c + 4), at(c + 5));
      piece.position.copy(from).add(to).multiplyScalar(0.5);
      const length = from.distanceTo(to);
      piece.scale.set(1, length, 1);
      piece.visible = length > 0;
      if (length > 0) piece.quaternion.setFromUnitVectors(y_axis, to.sub(from).divideScalar(length));
    });
  };
  return { first, apply };
}

function moving_arrow(arrow: THREE.Object3D, first: number, scale: number): Placed {
  const force = new THREE.Vector3();
  const [shaft, tip] = arrow.children as [THREE.Object3D, THREE.Object3D];
  const apply = (_: unknown, whole: (column: number) => number): void => {
    force.set(whole(first + 3), whole(first + 4), whole(first + 5)).multiplyScalar(scale);
    const length = force.length();
    arrow.visible = length > 1e-3 * scale && Number.isFinite(length);
    if (!arrow.visible) return;
    arrow.position.set(whole(first), whole(first + 1), whole(first + 2));
    arrow.quaternion.setFromUnitVectors(y_axis, force.divideScalar(length));
    shaft.scale.set(1, length, 1);
    tip.position.set(0, length, 0);
  };
  return { first, apply };
}

(window as unknown as Record<string, unknown>)["ergon_animate"] = (input: AnimationInput): Animation => new Player(input);

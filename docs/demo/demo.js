// The page around the swarm. What it calls is in examples/swarm_web: plain C functions, which answer with addresses in
// linear memory. Nothing here knows how the broadphase works.
"use strict";

const at = (id) => document.getElementById(id);
const options = new URLSearchParams(location.search);

// What the sliders can say; the page starts with what its address says, as in ?agents=50000&dragons=0&castle=0.
const SLIDERS = {
  agents: { steps: [1e3, 2e3, 5e3, 1e4, 15e3, 2e4, 3e4, 5e4, 75e3, 1e5, 15e4, 2e5], start: 20000, text: (v) => v.toLocaleString("en") },
  spread: { steps: [1, 1.25, 1.5, 1.75, 2, 2.5, 3, 4], start: 2, text: (v) => `× ${v}` },
  crowding: { steps: [0.1, 0.25, 0.5, 0.75, 1, 1.5, 2, 3, 4], start: 1, text: (v) => `${v}` },
  dragons: { steps: [0, 1, 2, 3, 5, 8, 12, 20, 40, 80], start: 5, text: (v) => `${v}` },
  dragon_size: { steps: [0.25, 0.5, 0.75, 1, 1.25, 1.5, 2], start: 1, text: (v) => `${Math.round(100 * v)} %` },
};
// Frames that the figures are taken over.
const RECENT = 60;
// The stages that are the broadphase's.
const IN_STEP = ["ingest", "index", "pairs", "narrowphase"];
// How far a push reaches, in pixels of the page, and how hard it is.
const PUSH = { radius: 90, strength: 0.9 };
// How far a finger may stray, in pixels of the page, and still tap.
const TAP = 10;
// A box smaller than this, in pixels of the page, is hard to see.
const SMALL = 16;
// No more pixels than this, however fine the display is.
const MOST_PIXELS = 2.2e6;
const MOST_ALONG = 8192;
// A module of one function that uses a vector of 128 bits, to see whether there are any.
const VECTORS = [0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11];

let swarm; // what the module exports
let castle = !["0", "false", "no", "off"].includes(options.get("castle")?.toLowerCase());
// The number that the address says; NaN for none.
const number = (name) => (options.get(name) ? Number(options.get(name)) : NaN);
// The same, if it is a whole one from `least` up to what 32 bits hold, or else `otherwise`.
const whole = (name, least, otherwise) => {
  const asked = number(name);
  return Number.isInteger(asked) && asked >= least && asked < 2 ** 32 ? asked : otherwise;
};
let seed = whole("seed", 0, 1);
let paused = false, showCells = false, stopAfter = whole("frames", 1, Infinity);
let singles = 0; // frames that are to be run though it is paused
// Whether turns follow each other, and whether something went wrong in one, after which the module is of no more use.
let going = false, broken = false;
let mouse = null, pushing = false, ratio = 1, redraw = true;
let held = false; // whether the details stay with whoever was tapped
let running = null; // of the swarm that is shown: whether it has walls, and whether the native program can run the same
let kinds = [], recent = [], ticks = [];

const bytes = (address) => new Uint8Array(swarm.memory.buffer, address, swarm.length());
const text = (address) => new TextDecoder().decode(bytes(address));
const json = (address) => JSON.parse(text(address));

function complain(problem) {
  at("problem").textContent = problem;
  at("problem").hidden = !problem;
}

const value = (name) => SLIDERS[name].steps[at(name).value];

// Starts the swarm that the sliders describe. If there can be none, the last one goes on, if there was one.
function restart() {
  if (broken) return;
  const sliders = ["agents", "spread", "crowding", "dragons", "dragon_size"].map(value);
  const { width, height } = at("swarm");
  const problem = text(swarm.start(...sliders, castle ? 1 : 0, seed, width, height));
  complain(problem && going ? `${problem}. The swarm you see is still the last one.` : problem);
  if (problem) return;
  held = false;
  running = { castle, plain: value("spread") === 2 && value("crowding") === 1 && value("dragon_size") === 1 };
  kinds = json(swarm.kinds()).map(([name, colour]) => ({ name, colour: `#${colour.toString(16).padStart(6, "0")}` }));
  at("key").innerHTML = "";
  for (const { name, colour } of kinds) {
    const entry = document.createElement("span");
    const dot = entry.appendChild(document.createElement("i"));
    dot.style.background = colour;
    entry.append(name);
    at("key").append(entry);
  }
  [recent, ticks] = [[], []];
  turns = 0; // so that figures come with the first frame
  redraw = true;
  // Nobody looks at the picture of one swarm and the figures of another.
  if (paused) singles = Math.max(singles, 1);
  if (!going) requestAnimationFrame(turn);
  going = true;
}

// As many pixels as the page has room for.
function fit() {
  const { clientWidth, clientHeight } = at("stage");
  ratio = Math.min(devicePixelRatio || 1, Math.sqrt(MOST_PIXELS / (clientWidth * clientHeight)));
  for (const canvas of [at("swarm"), at("over")]) {
    canvas.width = Math.min(MOST_ALONG, Math.max(16, Math.round(clientWidth * ratio)));
    canvas.height = Math.min(MOST_ALONG, Math.max(16, Math.round(clientHeight * ratio)));
  }
  swarm.resize(at("swarm").width, at("swarm").height);
  redraw = true;
}

function frame() {
  if (pushing && mouse) swarm.push(mouse.x, mouse.y, PUSH.radius * ratio, PUSH.strength);
  swarm.frame();
  const report = json(swarm.report());
  recent.push(report);
  if (recent.length > RECENT) recent.shift();
  if (report.frames >= stopAfter) {
    stopAfter = Infinity;
    pause(true);
  }
}

function draw() {
  const { width, height } = at("swarm");
  const pixels = bytes(swarm.draw());
  const image = new ImageData(new Uint8ClampedArray(pixels.buffer, pixels.byteOffset, pixels.length), width, height);
  at("swarm").getContext("2d").putImageData(image, 0, 0);
  drawOver();
}

// Cells, who is picked, and where it is pushed.
function drawOver() {
  const context = at("over").getContext("2d");
  context.clearRect(0, 0, at("over").width, at("over").height);
  if (showCells) {
    const address = swarm.cells();
    const cells = new Float32Array(swarm.memory.buffer, address, swarm.length() / 4);
    context.lineWidth = ratio;
    kinds.forEach(({ colour }, kind) => {
      context.beginPath();
      for (let cell = 0; cell < cells.length; cell += 6) {
        if (cells[cell + 5] !== kind) continue;
        context.rect(cells[cell] + 0.5, cells[cell + 1] + 0.5, cells[cell + 2] - cells[cell], cells[cell + 3] - cells[cell + 1]);
      }
      context.strokeStyle = colour;
      context.globalAlpha = 0.75;
      context.stroke();
    });
    context.globalAlpha = 1;
  }
  const picked = pushing ? null : held ? json(swarm.picked()) : mouse ? json(swarm.pick(mouse.x, mouse.y)) : null;
  tell(picked);
  at("stands").hidden = !(pushing && paused);
  if (picked) {
    context.lineWidth = ratio;
    context.strokeStyle = "#fff3a0";
    for (const box of picked.neighbours) frameBox(context, box, 0);
    context.lineWidth = 2 * ratio;
    context.strokeStyle = "#ffffff";
    frameBox(context, picked.pixels, 2 * ratio);
    const [left, top, right, bottom] = picked.pixels;
    if (right - left < SMALL * ratio) {
      // So small that one would not see where it is.
      context.beginPath();
      context.arc((left + right) / 2, (top + bottom) / 2, SMALL * ratio, 0, 7);
      context.lineWidth = 1.5 * ratio;
      context.stroke();
    }
  }
  if (pushing && mouse) {
    context.beginPath();
    context.arc(mouse.x, mouse.y, PUSH.radius * ratio, 0, 7);
    context.lineWidth = 1.5 * ratio;
    context.strokeStyle = "rgb(255 243 160 / 80%)";
    context.stroke();
  }
}

function frameBox(context, [left, top, right, bottom], by) {
  context.strokeRect(left - by, top - by, right - left + 2 * by, bottom - top + 2 * by);
}

// The card of whoever is picked.
function tell(picked) {
  const card = at("picked");
  card.hidden = !picked;
  if (!picked) return;
  const [left, top, right, bottom] = picked.bounds.map((side) => side.toFixed(1));
  const rows = [
    ["id", picked.id],
    ["row", picked.row],
    ["box", `${left} … ${right},  ${top} … ${bottom}`],
    ["speed", picked.speed.toFixed(1)],
    ["boxes that overlap it", picked.overlaps],
  ];
  const [x0, y0, x1, y1] = picked.pixels;
  if (x1 < 0 || y1 < 0 || x0 > at("swarm").width || y0 > at("swarm").height) rows.push(["", "out of sight"]);
  card.innerHTML = `<h3></h3><table class="number"></table>`;
  card.firstChild.textContent = picked.kind;
  for (const row of rows) {
    const line = card.lastChild.insertRow();
    for (const cell of row) line.insertCell().textContent = cell;
  }
}

const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];
const mean = (values) => values.reduce((sum, each) => sum + each, 0) / values.length;
// How much longer than usual a frame may take and still count: others use this machine too.
const UNUSUAL = 1.5;
const many = (number) => Math.round(number).toLocaleString("en");

// Brings the figures up to date.
function figures() {
  const last = recent.at(-1);
  if (!last) return;
  const step = median(recent.map((report) => report.step_ms));
  at("step_ms").textContent = step.toFixed(2);
  at("ns").textContent = ((step * 1e6) / (last.agents + last.dragons)).toFixed(0);
  const seconds = (ticks.at(-1) - ticks[0]) / 1000;
  at("rate").textContent = ticks.length > 5 && !paused ? ((ticks.length - 1) / seconds).toFixed(0) : "–";
  bars(last, step);
  at("pairs").textContent = many(last.pairs);
  at("candidates").textContent = many(last.candidates);
  at("contacts").textContent = many(last.contacts + last.bumps);
  at("cells_count").textContent = `${many(last.walls)}, ${many(last.cells)}`;
  at("bytes").textContent = `${(last.bytes / 1e6).toFixed(1)} MB`;
  at("level").textContent = last.level;
  same(last);
}

// A bar for each stage. A page's clock is coarse, so these are means, which that does not make larger or smaller.
function bars(last, step) {
  const usual = recent.filter((report) => report.step_ms <= UNUSUAL * step);
  const stages = last.stages.map(({ name }, index) => ({ name, ms: mean(usual.map((report) => report.stages[index].ms)) }));
  const longest = Math.max(0.001, ...stages.map(({ ms }) => ms));
  const agents = last.agents + last.dragons;
  const grid = at("bars");
  if (!grid.children.length) {
    const line = (name, bar, ...figures) => {
      grid.insertAdjacentHTML("beforeend", `<span>${name}</span><div class="${bar}"><div class="bar"></div></div>`);
      for (const figure of figures) grid.insertAdjacentHTML("beforeend", `<span class="number">${figure}</span>`);
    };
    grid.insertAdjacentHTML(
      "beforeend",
      `<span class="head"></span><span class="head">blue: in the step</span><span class="head right">ms</span><span class="head right">ns</span>`,
    );
    for (const { name } of stages) line(name, "track", "", "");
    grid.querySelectorAll(".bar").forEach((bar, index) => bar.classList.toggle("step", IN_STEP.includes(stages[index].name)));
  }
  const figures = grid.querySelectorAll(".number");
  stages.forEach(({ ms }, index) => {
    grid.querySelectorAll(".bar")[index].style.width = `${(100 * ms) / longest}%`;
    figures[2 * index].textContent = ms.toFixed(2);
    figures[2 * index + 1].textContent = ((ms * 1e6) / agents).toFixed(0);
  });
}

// What tells that this run is the same as one of the native program.
function same(last) {
  const plain = running.plain && !last.pushed;
  at("same").innerHTML = `Hash of all pairs of <span class="number" id="frames">${last.frames}</span> frame${last.frames === 1 ? "" : "s"}: <code id="pair_hash">${last.pair_hash}</code>`;
  at("native").hidden = !plain;
  at("native").textContent =
    `cargo run --release --example parallel_swarm -- --headless --json --agents ${last.agents} --oversized ${last.dragons}` +
    `${running.castle ? " --map castle" : ""} --seed ${seed} --frames ${last.frames}`;
}

function pause(on) {
  paused = on;
  at("pause").textContent = paused ? "Resume" : "Pause";
  at("pause").setAttribute("aria-pressed", paused);
  redraw = true;
}

function next() {
  if (!going) return;
  pause(true);
  singles++;
}

function toggleCells() {
  showCells = !showCells;
  at("cells").setAttribute("aria-pressed", showCells);
  redraw = true;
}

// One turn of the page: a frame, a picture, and now and then the figures.
let turns = 0;
function turn(now) {
  try {
    const advanced = !paused || singles > 0;
    if (advanced) {
      frame();
      ticks.push(now);
      if (ticks.length > RECENT) ticks.shift();
    } else {
      ticks = [];
    }
    if (advanced || redraw) draw();
    if (turns++ % 12 === 0 || singles > 0 || (redraw && paused)) figures();
    singles = paused ? Math.max(0, singles - 1) : 0;
    redraw = false;
    requestAnimationFrame(turn);
  } catch (error) {
    broken = true;
    complain(`The swarm has stopped: ${error}. Reload the page to start again.`);
    throw error;
  }
}

function listen() {
  const over = at("over");
  const place = (event) => ({ x: event.offsetX * ratio, y: event.offsetY * ratio });
  const push = (on) => { pushing = on; redraw = true; };
  // A mouse shows what it points at, and pushes from where it is pressed. A finger shows whom it taps, wherever that goes from then
  // on, and pushes once it drags.
  const fingers = new Map();
  let tapped = null; // where the only finger went down, as long as it may be a tap
  // Of two fingers: how far apart they are, and what is in the middle between them.
  const pinch = () => {
    const [a, b] = fingers.values();
    return { apart: Math.hypot(a.x - b.x, a.y - b.y), x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
  };
  const finger = (event) => {
    const before = fingers.size === 2 ? pinch() : null;
    fingers.set(event.pointerId, place(event));
    if (before) {
      const now = pinch();
      swarm.pan(now.x - before.x, now.y - before.y);
      if (before.apart > 0) swarm.zoom(now.apart / before.apart, now.x, now.y);
      redraw = true;
    } else if (fingers.size === 1) {
      const now = place(event);
      if (tapped && Math.hypot(now.x - tapped.x, now.y - tapped.y) > TAP * ratio) tapped = null, push(true);
      if (pushing) mouse = now;
    }
  };
  // Of a mouse, the first button pushes, and the second or the middle one moves the picture. Only the first that goes down and the last
  // that goes up have events of their own.
  let grabbed = null;
  const pressed = (event) => {
    const now = place(event);
    if (grabbed) swarm.pan(now.x - grabbed.x, now.y - grabbed.y);
    grabbed = event.buttons & 6 ? now : null;
    mouse = now;
    held = false;
    push((event.buttons & 1) === 1);
    over.classList.toggle("pushing", event.buttons > 0);
  };
  over.addEventListener("contextmenu", (event) => event.preventDefault());
  over.addEventListener("pointermove", (event) => {
    if (event.pointerType !== "touch") pressed(event);
    else if (fingers.has(event.pointerId)) finger(event);
  });
  over.addEventListener("pointerleave", (event) => { if (event.pointerType !== "touch") mouse = null, redraw = true; });
  over.addEventListener("pointerdown", (event) => {
    over.setPointerCapture(event.pointerId);
    if (event.pointerType === "touch") {
      fingers.set(event.pointerId, place(event));
      tapped = fingers.size === 1 ? place(event) : null;
      mouse = null;
      push(false);
    } else {
      // The middle button would scroll.
      event.preventDefault();
      pressed(event);
    }
  });
  for (const end of ["pointerup", "pointercancel"]) {
    over.addEventListener(end, (event) => {
      if (event.pointerType !== "touch") return pressed(event);
      if (fingers.delete(event.pointerId)) {
        if (end === "pointerup" && tapped) held = json(swarm.pick(tapped.x, tapped.y)) !== null;
        mouse = tapped = null;
      }
      push(false);
    });
  }
  over.addEventListener("wheel", (event) => {
    event.preventDefault();
    const { x, y } = place(event);
    // A notch of a wheel is some 100 pixels, or 3 lines; a pad tells of a few pixels at a time.
    const notches = event.deltaY / (event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? 100 : 3);
    swarm.zoom(1.2 ** Math.max(-2, Math.min(2, -notches)), x, y);
    redraw = true;
  }, { passive: false });
  new ResizeObserver(fit).observe(at("stage"));
  at("pause").addEventListener("click", () => pause(!paused));
  at("next").addEventListener("click", next);
  at("cells").addEventListener("click", toggleCells);
  at("castle").addEventListener("click", () => {
    castle = !castle;
    at("castle").setAttribute("aria-pressed", castle);
    restart();
  });
  addEventListener("keydown", (event) => {
    const key = event.key.toLowerCase();
    const act = { " ": () => pause(!paused), n: next, g: toggleCells }[key];
    // A button that has the focus takes the space bar itself, and with another key it is the browser's.
    if (!act || (key === " " && event.target.tagName === "BUTTON") || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    if (!event.repeat || key === "n") act();
  });
}

function prepareSliders() {
  for (const [name, { steps, start, text }] of Object.entries(SLIDERS)) {
    const input = at(name);
    // As the address says, if that is a number: a whole one where things are counted.
    const wish = number(name);
    const isSound = wish >= 0 && Number.isFinite(wish) && (Number.isInteger(wish) || !Number.isInteger(steps[1]));
    // No more than the module can be told.
    const asked = isSound && (wish > 0 || steps.includes(0)) ? Math.min(wish, 2 ** 32 - 1) : start;
    if (!steps.includes(asked)) steps.push(asked), steps.sort((a, b) => a - b);
    Object.assign(input, { min: 0, max: steps.length - 1, step: 1 });
    input.value = Math.max(0, steps.indexOf(asked));
    const show = () => {
      at(`${name}_out`).textContent = text(value(name));
      input.setAttribute("aria-valuetext", text(value(name)));
    };
    show();
    input.addEventListener("input", () => { show(); restart(); });
  }
  at("castle").setAttribute("aria-pressed", castle);
}

// Some servers say of such a file that it is compressed, and then the browser has unpacked it already.
async function unpacked(bytes) {
  const [first, second] = new Uint8Array(bytes, 0, 2);
  if (first !== 0x1f || second !== 0x8b) return bytes;
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

async function begin() {
  const portable = options.get("kernels") === "portable" || !WebAssembly.validate(new Uint8Array(VECTORS));
  const file = portable ? "swarm-portable.wasm.gz" : "swarm.wasm.gz";
  const response = await fetch(file);
  if (!response.ok) throw new Error(`${file}: ${response.status} ${response.statusText}; bash docs/demo/build ${file.split(".")[0]} makes it`);
  const page = { now: () => performance.now() };
  try {
    const module = await WebAssembly.instantiate(await unpacked(await response.arrayBuffer()), { page });
    swarm = module.instance.exports;
  } catch (error) {
    throw new Error(`${file} is not what bash docs/demo/build makes, or not all of it: ${error.message}`);
  }
  prepareSliders();
  fit();
  restart();
  listen();
}

if (location.protocol === "file:") {
  complain("Browsers load no WebAssembly from files. Serve this folder and open http://localhost:8000: python3 -m http.server --directory docs/demo");
} else {
  begin().catch((error) => complain(`The swarm could not be loaded: ${error.message}`));
}

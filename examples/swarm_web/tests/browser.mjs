// Opens the page in Chromium, uses it as somebody would, and compares what it found with the native program.
//
//   node browser.mjs PARALLEL_SWARM [PICTURE.jpg]
//
// Needs playwright-core (npm) and Chromium: CHROMIUM names it, otherwise it is /usr/bin/chromium.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { join } from "node:path";

// From where this is run, which need not be where this file is.
const { chromium } = createRequire(join(process.cwd(), "from-here.js"))("playwright-core");

const [native, picture] = process.argv.slice(2);
const demo = fileURLToPath(new URL("../../../docs/demo/", import.meta.url));
// Of pictures: the least at which text is still sharp.
const QUALITY = 55;
const types = { html: "text/html", js: "text/javascript", gz: "application/gzip" };

const server = createServer(async (request, response) => {
  const name = new URL(request.url, "http://localhost").pathname.slice(1) || "index.html";
  try {
    const body = await readFile(join(demo, name));
    response.writeHead(200, { "content-type": types[name.split(".").pop()] ?? "text/plain" }).end(body);
  } catch {
    response.writeHead(404).end();
  }
});
await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
const root = `http://127.0.0.1:${server.address().port}/`;

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
  ],
});

// A page that has run the frames it was asked for, and nothing went wrong on the way.
async function opened(query, display = { viewport: { width: 1280, height: 800 } }) {
  const page = await browser.newPage(display);
  const problems = [];
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
  await page.goto(`${root}?${query}`);
  return { page, problems };
}

const pictureOf = (page) => page.evaluate(() => document.getElementById("swarm").toDataURL());
const shown = (page, id) => page.locator(`#${id}`).textContent();

async function paused(page) {
  await page.waitForFunction(() => document.getElementById("pause").textContent === "Resume", null, { timeout: 60_000 });
  await page.waitForTimeout(200);
}

function hashOf(command) {
  const options = command.split(" -- ")[1].split(" ");
  return JSON.parse(execFileSync(native, options, { encoding: "utf8" })).pair_hash;
}

try {
  // The command that the page shows gives the hash that the page shows, with either kind of kernels, if both are built.
  for (const [kernels, level, file] of [["", "simd128", "swarm"], ["&kernels=portable", "scalar", "swarm-portable"]]) {
    if (!existsSync(join(demo, `${file}.wasm.gz`))) {
      console.log(`left out: ${file}.wasm.gz is not built`);
      continue;
    }
    for (const query of ["agents=20000&dragons=5&frames=20", "agents=5000&dragons=12&castle=0&seed=7&frames=40"]) {
      const { page, problems } = await opened(query + kernels);
      await paused(page);
      const hash = await shown(page, "pair_hash");
      assert.equal(await shown(page, "level"), level);
      assert.equal(hash, hashOf(await shown(page, "native")), query);
      assert.deepEqual(problems, []);
      console.log(`${query}: ${hash} with ${level}, as natively`);
      await page.close();
    }
  }

  const { page, problems } = await opened("agents=20000&dragons=5");
  const number = async (id) => Number((await shown(page, id)).replaceAll(",", ""));
  await page.waitForFunction(() => Number(document.getElementById("frames")?.textContent) > 30, null, { timeout: 60_000 });
  assert(await number("pairs") > 10_000 && (await number("step_ms")) > 0);
  assert.equal(await page.locator(".bars .bar").count(), 7);

  // It stands still, goes on by one, and has cells to show.
  await page.click("#pause");
  await page.waitForTimeout(100);
  const before = await number("frames");
  await page.keyboard.press("n");
  await page.waitForTimeout(100);
  assert.equal(await number("frames"), before + 1);
  const overlay = () => page.evaluate(() => {
    const over = document.getElementById("over");
    const { data } = over.getContext("2d").getImageData(0, 0, over.width, over.height);
    return data.filter((byte, index) => index % 4 === 3 && byte > 0).length;
  });
  assert.equal(await overlay(), 0);
  await page.keyboard.press("g");
  await page.waitForTimeout(100);
  assert(await overlay() > 5000);

  // Whoever is under the mouse, or near it, is named. Somebody is, somewhere along a line across the world.
  let named = null;
  for (let x = 100; x < 860 && !named; x += 20) {
    await page.mouse.move(x, 420);
    await page.waitForTimeout(40);
    const card = await page.locator("#picked").textContent();
    if (await page.locator("#picked").isVisible() && /pixies|infantry|cavalry|dragons/.test(card)) named = card;
  }
  assert.match(named ?? "nobody", /idProxyId\(\d+.*row\d+.*box/);
  if (picture) await page.screenshot({ path: picture, type: "jpeg", quality: QUALITY });

  // Those who are pushed go somewhere else than they would have.
  assert(await page.locator("#native").isVisible());
  await page.click("#pause");
  await page.mouse.move(470, 420);
  await page.mouse.down();
  await page.mouse.move(520, 400, { steps: 10 });
  await page.waitForTimeout(300);
  await page.mouse.up();
  await page.waitForTimeout(300);
  assert(!(await page.locator("#native").isVisible()));

  // The second button moves a picture that is zoomed.
  await page.click("#pause");
  await page.mouse.move(470, 420);
  await page.mouse.wheel(0, -600);
  await page.waitForTimeout(200);
  const still = await pictureOf(page);
  await page.mouse.down({ button: "right" });
  await page.mouse.move(420, 400, { steps: 5 });
  await page.mouse.up({ button: "right" });
  await page.waitForTimeout(200);
  assert.notEqual(await pictureOf(page), still);
  const pushes = () => page.locator("#stands").isVisible();
  assert(!(await pushes()), "the second button does not push");
  await page.mouse.down();
  await page.mouse.down({ button: "right" });
  await page.waitForTimeout(100);
  assert(await pushes());
  await page.mouse.up();
  await page.waitForTimeout(100);
  assert(!(await pushes()), "the first button is up, though the second is not");
  await page.mouse.up({ button: "right" });
  await page.click("#pause");

  // Sliders and walls begin anew.
  await page.locator("#agents").fill("2");
  await page.click("#castle");
  await page.waitForTimeout(400);
  assert.match(await shown(page, "cells_count"), /^0, /);
  assert.match(await shown(page, "native"), /--agents 5000 --oversized 5 --seed 1/);

  // Also while it stands still; and the keys of the browser are left alone.
  await page.click("#pause");
  await page.locator("#agents").fill("3");
  await page.waitForTimeout(400);
  assert.match(await shown(page, "native"), /--agents 10000 .* --frames 1$/);
  await page.mouse.move(470, 420);
  await page.mouse.down();
  await page.waitForTimeout(100);
  assert(await pushes(), "who pushes what stands still is told so");
  await page.mouse.up();
  await page.waitForTimeout(100);
  assert(!(await pushes()));
  const pressed = await page.getAttribute("#cells", "aria-pressed");
  await page.keyboard.press("Alt+g");
  assert.equal(await page.getAttribute("#cells", "aria-pressed"), pressed);

  // With fingers: a tap shows somebody and pushes nobody, two that part zoom, and one that drags pushes.
  const phone = await opened("agents=5000&frames=30", { viewport: { width: 400, height: 800 }, hasTouch: true });
  await paused(phone.page);
  const area = await phone.page.locator("#over").boundingBox();
  const middle = { x: area.x + area.width / 2, y: area.y + area.height / 2 };
  let tapped = false;
  for (let x = 20; x < 380 && !tapped; x += 15) {
    await phone.page.touchscreen.tap(x, middle.y);
    await phone.page.waitForTimeout(80);
    tapped = await phone.page.locator("#picked").isVisible();
  }
  assert(tapped);
  // Whoever was tapped is shown where it goes, until the next tap.
  const card = () => phone.page.locator("#picked").textContent();
  const row = (text, name) => text.match({ id: /id(ProxyId.*?)row/, box: /box(.*?)speed/ }[name])[1];
  const first = await card();
  await phone.page.click("#pause");
  await phone.page.waitForTimeout(700);
  await phone.page.click("#pause");
  await phone.page.waitForTimeout(100);
  const later = await card();
  assert.equal(row(later, "id"), row(first, "id"));
  assert.notEqual(row(later, "box"), row(first, "box"));
  const touch = await phone.page.context().newCDPSession(phone.page);
  const touches = (type, ...places) => touch.send("Input.dispatchTouchEvent", { type, touchPoints: places.map(([x, y], id) => ({ x: middle.x + x, y: middle.y + y, id })) });
  const unzoomed = await pictureOf(phone.page);
  await touches("touchStart", [-30, 0], [30, 0]);
  for (let by = 40; by <= 120; by += 20) await touches("touchMove", [-by, 0], [by, 0]);
  await touches("touchEnd");
  await phone.page.waitForTimeout(200);
  const zoomed = await pictureOf(phone.page);
  assert.notEqual(zoomed, unzoomed, "two fingers zoom");
  await touches("touchStart", [-30, 0], [30, 0]);
  for (let by = 10; by <= 50; by += 10) await touches("touchMove", [by - 30, by], [by + 30, by]);
  await touches("touchEnd");
  await phone.page.waitForTimeout(200);
  assert.notEqual(await pictureOf(phone.page), zoomed, "two fingers move the picture");
  assert(await phone.page.locator("#picked").isVisible(), "whoever was tapped is still shown");
  await phone.page.click("#pause");
  await touches("touchStart", [0, 0]);
  await phone.page.waitForTimeout(300);
  await touches("touchEnd");
  await phone.page.waitForTimeout(300);
  assert(await phone.page.locator("#native").isVisible(), "nobody is pushed so far");
  await touches("touchStart", [-60, 0]);
  for (let x = -50; x <= 60; x += 10) {
    await touches("touchMove", [x, 0]);
    await phone.page.waitForTimeout(30);
  }
  await touches("touchEnd");
  await phone.page.waitForTimeout(300);
  assert(!(await phone.page.locator("#native").isVisible()), "a finger that drags pushes");
  assert.deepEqual(phone.problems, []);

  // What cannot be is said, and something that can be is begun all the same.
  const refused = await opened("agents=99999999");
  await refused.page.waitForTimeout(400);
  assert.match(await shown(refused.page, "problem"), /^agents may be 1 to /);
  await refused.page.locator("#agents").fill("2");
  await refused.page.waitForFunction(() => Number(document.getElementById("frames")?.textContent) > 5, null, { timeout: 60_000 });
  assert(!(await refused.page.locator("#problem").isVisible()));
  assert.deepEqual(refused.problems, []);
  await refused.page.close();

  // Half a hundred thousand, for the record; nothing depends on it.
  for (const query of ["agents=50000&dragons=5&castle=0&frames=200", "agents=50000&dragons=5&frames=200"]) {
    const large = await opened(query);
    await paused(large.page);
    const [ms, ns] = [await shown(large.page, "step_ms"), await shown(large.page, "ns")];
    console.log(`${query}: a step took ${ms} ms at the median, ${ns} ns per agent`);
    assert.deepEqual(large.problems, []);
    await large.page.close();
  }
  assert.deepEqual(problems, []);
  console.log("the page does what it says");
} finally {
  await browser.close();
  server.close();
}

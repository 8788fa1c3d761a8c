// How fast the page is. The bounds are those of a slow machine that does other things; the printed numbers say more.

import { readFileSync } from "node:fs";
import { expect, open, ran, test, write } from "./browser";

test("first paint and first trace", async ({ page }) => {
  await page.goto("/");
  await ran(page);
  const [paint, trace] = await page.evaluate(() => {
    const [painted] = performance.getEntriesByName("first-contentful-paint");
    return [painted?.startTime ?? Infinity, performance.now()];
  });
  console.log(`first paint after ${paint.toFixed(0)} ms, first trace after ${trace.toFixed(0)} ms`);
  expect(paint).toBeLessThan(3000);
  expect(trace).toBeLessThan(15_000);
});

test("a timeline of 100,000 spans is drawn without a pause", async ({ page }) => {
  test.setTimeout(180_000);
  await page.addInitScript(() => {
    const frames: number[] = [];
    const next = requestAnimationFrame;
    Object.assign(window, {
      frames,
      requestAnimationFrame: (draw: FrameRequestCallback) =>
        next((time) => {
          const began = performance.now();
          draw(time);
          frames.push(performance.now() - began);
        }),
    });
  });
  await open(page);
  const text = readFileSync("../nic-runtime/scenarios/drop.toml", "utf8");
  const many = text
    .replace('payload = { text = "wanted" }', '$&\nevery = "100us"\nrepeat = 8000')
    .replace(/\[\[expect\]\][^]*/, "");
  await page.click("summary");
  await write(page, "#scenario", many);
  await page.click("#start");
  await expect(page.locator("#state")).toHaveText(/^done in/, { timeout: 120_000 });
  // The browser would lay out all of a long trace.
  const trace = (await page.locator("#trace").textContent()) ?? "";
  expect(trace.length).toBeLessThan((4 << 20) + 100);
  expect(trace).toMatch(/Download trace" gives\.$/);
  await page.locator("#tracks").scrollIntoViewIfNeeded();
  const box = await page.locator("#tracks").boundingBox();
  await page.mouse.move((box?.x ?? 0) + 300, (box?.y ?? 0) + 60);
  await page.evaluate(() => (window as unknown as { frames: number[] }).frames.splice(0));
  for (const by of [...Array(20).fill(-120), ...Array(20).fill(120)]) {
    await page.mouse.wheel(0, by);
    await page.waitForTimeout(20);
  }
  const frames = await page.evaluate(() => (window as unknown as { frames: number[] }).frames);
  const slowest = Math.max(...frames);
  const mean = frames.reduce((sum, time) => sum + time, 0) / frames.length;
  const spans = Number(await page.locator("#tracks").getAttribute("data-spans"));
  console.log(`${spans} spans: ${frames.length} frames, ${mean.toFixed(1)} ms each, the slowest ${slowest.toFixed(1)} ms`);
  expect(spans).toBeGreaterThan(100_000);
  expect(frames.length).toBeGreaterThan(10);
  expect(mean).toBeLessThan(17);
});

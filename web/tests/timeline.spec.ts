// The timeline under the hand: what moves it, what is left to the browser, and which bytes stand beside a span.

import { payloadAt } from "../src/headers";
import { expect, open, test } from "./browser";

test("keys of the browser are left to it", async ({ page }) => {
  await open(page, "#applet=Drop");
  const taken = await page.locator("#tracks").evaluate((canvas) => {
    const isTaken = (key: string, held: KeyboardEventInit) => {
      const event = new KeyboardEvent("keydown", { key, cancelable: true, bubbles: true, ...held });
      canvas.dispatchEvent(event);
      return event.defaultPrevented;
    };
    return [isTaken("ArrowLeft", { altKey: true }), isTaken("+", { ctrlKey: true }), isTaken("-", { metaKey: true }), isTaken("+", {})];
  });
  expect(taken).toEqual([false, false, false, true]);
});

test("a drag moves the rows as well", async ({ page }) => {
  await open(page, "#scenario=barrier");
  const canvas = page.locator("#tracks");
  await canvas.scrollIntoViewIfNeeded();
  const box = await canvas.boundingBox();
  const [x, y] = [(box?.x ?? 0) + 400, (box?.y ?? 0) + 300];
  const before = await canvas.screenshot();
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x, y - 120, { steps: 4 });
  await page.mouse.up();
  await expect.poll(async () => (await canvas.screenshot()).equals(before)).toBe(false);
  const moved = await canvas.screenshot();
  await page.locator("#tracks").press("ArrowUp");
  await expect.poll(async () => (await canvas.screenshot()).equals(moved)).toBe(false);
});

test("a canvas is not made anew for each frame where a pixel of the page is no whole number of pixels", async ({ browser, baseURL }) => {
  const page = await browser.newPage({ deviceScaleFactor: 1.25, viewport: { width: 1279, height: 900 }, baseURL: baseURL ?? "" });
  await open(page, "#applet=Drop");
  const made = await page.evaluate(async () => {
    const canvas = document.querySelector<HTMLCanvasElement>("#tracks");
    const own = Object.getOwnPropertyDescriptor(HTMLCanvasElement.prototype, "width");
    let made = 0;
    Object.defineProperty(canvas, "width", {
      get: () => own?.get?.call(canvas) as number,
      set: (width) => {
        made++;
        own?.set?.call(canvas, width);
      },
    });
    for (let frame = 0; frame < 5; frame++) {
      canvas?.dispatchEvent(new KeyboardEvent("keydown", { key: "+" }));
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    }
    return made;
  });
  expect(made).toBe(0);
  await page.close();
});

test("the bytes beside a span are those that the packet has there", () => {
  const story = [
    "      +0.000       10.000 us  a     x         tx-post       channel=1 offset=0 length=4 post=1",
    "      +1.000       11.000 us  a     x         wire-tx       packet=1 peer=y length=4 payload=01020304",
    "      +2.000       13.000 us  b     y         wire-rx       packet=1 peer=x length=4 payload=05060708",
    "      +5.000       18.000 us  b     y         applet-call   method=doRx args=[4,1]",
  ].join("\n");
  const at = (name: string, begin: number) => payloadAt(story, { name, begin });
  expect(at("tx-post", 10)).toBe("01020304");
  expect(at("wire-tx", 11)).toBe("01020304");
  expect(at("wire-rx", 13)).toBe("05060708");
  expect(at("doRx", 18)).toBe("05060708");
  expect(at("dma", 12.5)).toBe("01020304");
  expect(payloadAt("      +0.000       10.000 us  a     x         tx-post       channel=1", { name: "tx-post", begin: 10 })).toBeNull();
});

// A page whose console must stay empty: no error, no warning, no violation of its policy, no request to another host.

import { expect, test as base, type Page } from "@playwright/test";

export const test = base.extend<{ complaints: string[] }>({
  complaints: [
    async ({ context, baseURL }, use) => {
      const complaints: string[] = [];
      context.on("weberror", (error) => complaints.push(`${error.error()}`));
      context.on("console", (message) => {
        if (["error", "warning"].includes(message.type())) complaints.push(message.text());
      });
      context.on("dialog", (dialog) => {
        complaints.push(`a dialog: ${dialog.message()}`);
        void dialog.dismiss();
      });
      context.on("request", (request) => {
        const isOwn = [baseURL ?? "", "blob:", "data:"].some((origin) => request.url().startsWith(origin));
        if (!isOwn) complaints.push(`a request to ${request.url()}`);
      });
      await use(complaints);
      expect(complaints).toEqual([]);
    },
    { auto: true },
  ],
});

export { expect };

/** Opens the page, and waits for its first run. */
export async function open(page: Page, fragment = ""): Promise<void> {
  await page.goto(`/${fragment}`);
  await ran(page);
}

export async function ran(page: Page): Promise<void> {
  await expect(page.locator("#state")).toHaveText(/^done in/);
}

/** Replaces the text of an editor as a user does. */
export async function write(page: Page, editor: string, text: string): Promise<void> {
  await page.locator(`${editor} .cm-content`).click();
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText(text);
}

/** Clicks the first span that the timeline shows, which is where a pixel has a colour. */
export async function clickSpan(page: Page): Promise<void> {
  const canvas = page.locator("#tracks");
  await canvas.scrollIntoViewIfNeeded();
  await expect.poll(() => canvas.evaluate(coloured)).not.toBeNull();
  const place = await canvas.evaluate(coloured);
  await canvas.click({ position: { x: place?.x ?? 0, y: place?.y ?? 0 } });
}

function coloured(element: Element): { x: number; y: number } | null {
  const canvas = element as HTMLCanvasElement;
  const { width, height } = canvas;
  // A copy, because reading the page's own canvas would slow it down.
  const copy = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true });
  copy?.drawImage(canvas, 0, 0);
  const pixels = copy?.getImageData(0, 0, width, height).data ?? [];
  for (let x = 160; x < width - 10; x += 1) {
    for (let y = 40; y < height - 10; y += 4) {
      const [red = 0, green = 0, blue = 0] = pixels.slice(4 * (y * width + x));
      const apart = Math.max(red, green, blue) - Math.min(red, green, blue);
      if (apart > 40) return { x: (x * canvas.clientWidth) / width, y: (y * canvas.clientHeight) / height };
    }
  }
  return null;
}

// Takes the pictures of the documentation: node pictures.mjs ADDRESS FOLDER, with the page served at the address.
import { chromium } from "@playwright/test";
import { writeFileSync } from "node:fs";

const [address, folder] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ["--no-sandbox"] });
for (const colorScheme of ["light", "dark"]) {
  for (const [width, height] of [[1280, 800], [390, 844]]) {
    const page = await browser.newPage({ colorScheme, viewport: { width, height } });
    await page.goto(`${address}#applet=Firewall&at=41.93us`);
    await page.getByText(/^done in/).waitFor();
    await page.waitForTimeout(500);
    const png = await page.screenshot();
    // The browser compresses better than a library would.
    const blank = await browser.newPage();
    const webp = await blank.evaluate(async (bytes) => {
      const image = new Image();
      image.src = `data:image/png;base64,${bytes}`;
      await image.decode();
      const canvas = new OffscreenCanvas(image.width, image.height);
      canvas.getContext("2d").drawImage(image, 0, 0);
      const blob = await canvas.convertToBlob({ type: "image/webp", quality: 0.8 });
      return [...new Uint8Array(await blob.arrayBuffer())];
    }, png.toString("base64"));
    const name = `page-${colorScheme}${width < 900 ? "-narrow" : ""}`;
    writeFileSync(`${folder}/${name}.webp`, Buffer.from(webp));
    if (process.argv[4]) writeFileSync(`${folder}/${name}.png`, png);
    await page.close();
    await blank.close();
  }
}
await browser.close();

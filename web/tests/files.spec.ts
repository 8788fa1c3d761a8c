// Classes, archives and sources from the user's computer.

import { readFileSync, writeFileSync } from "node:fs";
import { archive } from "./archive";
import { clickSpan, expect, open, ran, test } from "./browser";
import { jive } from "./command";

const REJECTED = "../jive/tests/rejected/java";
const file = (name: string, buffer: Buffer) => ({ name, mimeType: "", buffer });
const rejected = (name: string) => readFileSync(`${REJECTED}/${name}`);

/** What the terminal says of a class that lies beside its source. */
function verdict(name: string): string {
  const files = { [`${name}.class`]: rejected(`${name}.class`), [`${name}.java`]: rejected(`${name}.java`) };
  return jive(["verify", `${name}.class`], files).stdout.trimEnd();
}

test("a source that is opened with a class is quoted as on a terminal", async ({ page }) => {
  await open(page);
  for (const name of ["PrintLine", "InstanceOf"]) {
    const expected = verdict(name);
    expect(expected).toContain(`${name}.java`);
    const [bytes, source] = [rejected(`${name}.class`), rejected(`${name}.java`)];
    await page.setInputFiles("#class-file", [file(`${name}.class`, bytes), file(`${name}.java`, source)]);
    await expect.poll(() => page.locator("#verdict-text").textContent()).toBe(expected);
    await expect(page.locator("#java")).toContainText(`class ${name}`);
    // The source may also come later.
    await page.setInputFiles("#class-file", [file(`${name}.class`, bytes)]);
    await expect.poll(() => page.locator("#verdict-text").textContent()).not.toBe(expected);
    await page.setInputFiles("#class-file", [file(`${name}.java`, source)]);
    await expect.poll(() => page.locator("#verdict-text").textContent()).toBe(expected);
  }
});

test("a class with a file name of any letters runs", async ({ page }) => {
  await open(page, "#applet=Drop");
  const buffer = readFileSync("../applets/class/Drop.class");
  for (const name of ['"\\\u007f\u202e.class', "größe 类.class", ".class", "no-ending"]) {
    await page.setInputFiles("#class-file", [file(name, buffer)]);
    await expect(page.locator("#verdict-text")).toContainText("class Drop");
    await page.click("#start");
    await ran(page);
    await expect(page.locator("#trace")).toContainText("class=Drop");
  }
});

test("a class of a jar is chosen, judged with its source, and run", async ({ page }) => {
  await open(page, "#applet=Drop");
  const applet = (name: string) => readFileSync(`../applets/${name}`);
  const jar = archive({
    "META-INF/MANIFEST.MF": Buffer.from("Manifest-Version: 1.0\n"),
    "Drop.class": applet("class/Drop.class"),
    "Drop.java": applet("java/Drop.java"),
    "PrintLine.class": rejected("PrintLine.class"),
    "PrintLine.java": rejected("PrintLine.java"),
  });
  await page.setInputFiles("#class-file", [file("applets.jar", jar)]);
  await expect(page.locator("#classes option")).toHaveText(["Drop.class", "PrintLine.class"]);
  await expect(page.locator("#judged")).toHaveText("Proved safe: it may run.");
  await page.selectOption("#classes", "PrintLine.class");
  await expect.poll(() => page.locator("#verdict-text").textContent()).toBe(verdict("PrintLine"));
  await page.selectOption("#classes", "Drop.class");
  await expect(page.locator("#judged")).toHaveText("Proved safe: it may run.");
  await page.click("#start");
  await ran(page);
  await expect(page.locator("#trace")).toContainText("class=Drop");
  await page.fill("#find", "doRx");
  await clickSpan(page);
  await page.locator("#tracks").press("ArrowRight");
  // One class alone needs no choice.
  await page.setInputFiles("#class-file", [file("one.jar", archive({ "Drop.class": applet("class/Drop.class") }))]);
  await expect(page.locator("#classes-label")).toBeHidden();
});

test("broken and hostile archives are errors that name them, and the page goes on", async ({ page }) => {
  await open(page);
  const zeros = { "Zeros.class": Buffer.alloc(64 << 20) };
  const good = archive({ "A.class": rejected("PrintLine.class") });
  const jars: [string, Buffer, RegExp][] = [
    ["empty.jar", archive({}), /has no class/],
    ["text.jar", archive({ "a.txt": Buffer.from("text") }), /has no class/],
    ["cut.jar", good.subarray(0, good.length - 30), /is no archive/],
    ["bomb.jar", archive(zeros), /here it may have/],
    ["liar.jar", archive(zeros, (entry) => entry.writeUInt32LE(1000, 24)), /unpacks to more/],
    ["damaged.jar", archive({ "A.class": Buffer.from("damaged") }, (entry) => entry.writeUInt32LE(1, 16)), /damaged file A/],
    ["far.jar", archive({ "A.class": Buffer.from("far") }, (entry) => entry.writeUInt32LE(0xfffffff0, 42)), /damaged file A/],
    ["secret.jar", archive({ "A.class": Buffer.from("secret") }, (entry) => entry.writeUInt16LE(1, 8)), /encrypted/],
    ["old.jar", archive({ "A.class": Buffer.from("old") }, (entry) => entry.writeUInt16LE(6, 10)), /in a form/],
  ];
  for (const [name, bytes, message] of jars) {
    await page.setInputFiles("#class-file", [file(name, bytes)]);
    await expect(page.locator("#verdict-text")).toContainText(name);
    await expect(page.locator("#verdict-text")).toHaveText(message);
  }
  const long = test.info().outputPath("long.jar");
  writeFileSync(long, Buffer.alloc(51 << 20));
  await page.setInputFiles("#class-file", long);
  await expect(page.locator("#verdict-text")).toHaveText(/long\.jar .*here it may have/);
  await page.selectOption("#applets", "Drop");
  await ran(page);
});

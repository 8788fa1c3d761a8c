// The page as `jive play` serves it: Java is edited, compiled and run. A server of its own serves each test.

import AxeBuilder from "@axe-core/playwright";
import type { Page } from "@playwright/test";
import { spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { expect, open, ran, test as base, write } from "./browser";
import { JIVE } from "./command";

/** Variables of the server's process. */
const test = base.extend<{ variables: Record<string, string> }>({
  variables: [{}, { option: true }],
  baseURL: async ({ variables }, use) => {
    const server = spawn(JIVE, ["play", "--quiet", "--page", process.env["DIST"] ?? "dist"], {
      env: { ...process.env, ...variables },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const { value } = await createInterface(server.stdout)[Symbol.asyncIterator]().next();
    await use(value);
    const ended = new Promise((resolve) => server.on("exit", resolve));
    server.kill("SIGINT");
    expect(await ended).toBe(0);
  },
});

const hasJavac = spawnSync("javac", ["-version"]).status === 0;
const DROP = readFileSync("../applets/java/Drop.java", "utf8");
const WANTED = "RxBuf[0] == UNWANTED";

async function opened(page: Page, fragment: string): Promise<void> {
  await page.goto(`./${fragment}`);
  await ran(page);
  await expect(page.locator("#compile")).toBeVisible();
}

test("an error stands at its line, is mended, and the class that compiles runs", async ({ page }) => {
  test.skip(!hasJavac, "no javac on the path");
  await opened(page, "#applet=Drop");
  const shipped = await page.locator("#trace").textContent();
  await write(page, "#java", DROP.replace(WANTED, "RxBuf[0] == UNWANTD"));
  await expect(page.locator("#compiled")).toHaveText("Not compiled yet.");
  await page.click("#compile");
  await expect(page.locator("#compiled")).toHaveText("1 error");
  await expect(page.locator("#java .wrong")).toContainText("RxBuf[0] == UNWANTD");
  await expect(page.locator("#java .wrong + .mistake")).toContainText("error: cannot find symbol");
  await expect(page.locator("#java .mistake")).toContainText("variable UNWANTD");
  await expect(page.locator("#verdict-text")).toContainText("Drop.java:41: error: cannot find symbol");
  // Mended, so that everything is unwanted.
  await write(page, "#java", DROP.replace(WANTED, "RxBuf[0] != 0"));
  await page.keyboard.press("Control+Enter");
  await expect(page.locator("#compiled")).toHaveText("Compiled: the next run uses this Drop.");
  await expect(page.locator("#java .mistake")).toHaveCount(0);
  await expect(page.locator("#judged")).toHaveText("Proved safe: it may run.");
  await page.click("#start");
  await ran(page);
  await expect(page.locator("#trace")).not.toContainText("rx-descriptor");
  expect(shipped).toContain("rx-descriptor");
  // The shipped applet comes back as it was.
  await page.selectOption("#applets", "Nat");
  await page.selectOption("#applets", "Drop");
  await ran(page);
  await expect.poll(() => page.locator("#trace").textContent()).toBe(shipped);
});

test("a class that is refused has its faults at the lines of its source", async ({ page }) => {
  test.skip(!hasJavac, "no javac on the path");
  await opened(page, "#applet=Drop");
  await write(page, "#java", DROP.replace(WANTED, "RxBuf[0] / 2.0 == UNWANTED"));
  await page.click("#compile");
  await expect(page.locator("#judged")).toHaveText("Refused.");
  await expect(page.locator("#java .wrong")).toContainText("RxBuf[0] / 2.0");
  await expect(page.locator("#java .mistake")).toContainText("subset/double");
});

test("sources of any content are text, in every place", async ({ page }) => {
  test.skip(!hasJavac, "no javac on the path");
  await opened(page, "#applet=Drop");
  const image = "<img src=x onerror=alert(1)>";
  await write(page, "#java", `class A {\n  int a = "${image}";\n  // ${image}\n  ${image}\n}`);
  await page.click("#compile");
  await expect(page.locator("#compiled")).toHaveText(/^\d errors?$/);
  await expect(page.locator("#verdict-text")).toContainText(image);
  expect(await page.locator("img").count()).toBe(0);
  for (const source of ["", "\u0000\u202e", "interface A {} interface B {}"]) {
    await write(page, "#java", source || " ");
    await page.click("#compile");
    await expect(page.locator("#compiled")).toHaveText(/^Not compiled\.|error/);
  }
  await write(page, "#java", DROP);
  await page.click("#compile");
  await expect(page.locator("#compiled")).toHaveText(/^Compiled/);
});

test.describe("without javac", () => {
  test.use({ variables: { JAVA_HOME: "/nowhere" } });

  test("the page says what to install", async ({ page }) => {
    await opened(page, "#applet=Drop");
    await page.click("#compile");
    await expect(page.locator("#compiled")).toHaveText("Not compiled.");
    await expect(page.locator("#verdict-text")).toContainText("there is no `javac`: install a JDK");
  });
});

test("a source that is too long is refused with a sentence", async ({ page, complaints }) => {
  await opened(page, "#applet=Drop");
  await write(page, "#java", `class A {} // ${"x".repeat(600_000)}`);
  await page.click("#compile");
  await expect(page.locator("#compiled")).toHaveText("Not compiled: a body may have 524288 bytes");
  // Chromium reports the status.
  expect(complaints.splice(0).join()).toContain("413");
});

test("the page can ask its server, and another page cannot", async ({ browser, baseURL }) => {
  const ask = async (address: string) => {
    const request = { method: "POST", body: JSON.stringify({ source: "/" }), headers: { "content-type": "application/json" } };
    const tries = [
      fetch(`${address}play.json`),
      fetch(`${address}play.json`, { mode: "no-cors" }),
      fetch(`${address}compile`, request),
      fetch(`${address}compile`, { ...request, mode: "no-cors", headers: {} }),
    ];
    return await Promise.all(tries.map((sent) => sent.then(({ status }) => status, () => "failed")));
  };
  // Pages without a policy, which would forbid the requests before they are sent; and in contexts of their own, because
  // Chromium complains of refusals.
  const own = await browser.newPage();
  await own.goto(`${baseURL}icon.svg`);
  expect(await own.evaluate(ask, baseURL ?? "")).toEqual([200, 200, 200, 415]);
  const other = await browser.newPage();
  await other.goto(`http://127.0.0.1:${process.env["PAGE_PORT"]}/icon.svg`);
  expect(await other.evaluate(ask, baseURL ?? "")).toEqual(["failed", "failed", "failed", "failed"]);
  await Promise.all([own.close(), other.close()]);
});

for (const colorScheme of ["light", "dark"] as const) {
  test(`axe finds no error where Java is edited, ${colorScheme}`, async ({ page }) => {
    test.skip(!hasJavac, "no javac on the path");
    await page.emulateMedia({ colorScheme });
    await opened(page, "#applet=Drop");
    await write(page, "#java", "class A {\n  int a = true;\n}");
    await page.click("#compile");
    await expect(page.locator("#compiled")).toHaveText("1 error");
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`)).toEqual([]);
  });
}

base("a file server's page has Java to read alone", async ({ page }) => {
  await open(page, "#applet=Drop");
  await expect(page.locator("#compile")).toHaveCount(0);
  await page.locator("#java .cm-content").click();
  await page.keyboard.insertText("x");
  await expect(page.locator("#java .cm-content")).not.toContainText("ximport");
  await expect(page.locator("#java .cm-line").first()).toHaveText("import static unet.Nic.*;");
});

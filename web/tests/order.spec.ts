// What is chosen last is shown, in whatever order the answers come; and what takes long holds nothing else up.

import { readFileSync } from "node:fs";
import { deflateRawSync } from "node:zlib";
import type { Page } from "@playwright/test";
import { archive } from "./archive";
import { expect, open, ran, test, write } from "./browser";
import { jive } from "./command";

const DROP = readFileSync("../applets/class/Drop.class");
const file = (name: string, buffer: Buffer) => ({ name, mimeType: "", buffer });

/** The scenario of Drop with many packets. */
function lasting(packets: number): string {
  const text = readFileSync("../nic-runtime/scenarios/drop.toml", "utf8");
  const many = `$&\nevery = "100us"\nrepeat = ${packets}`;
  return `until = "1000000s"\n${text.replace('payload = { text = "wanted" }', many).replace(/\[\[expect\]\][^]*/, "")}`;
}

/** Drops a file whose bytes come a moment later. */
async function dropSlowly(page: Page, name: string, bytes: Buffer): Promise<void> {
  await page.evaluate(([name, content]) => {
    const bytes = Uint8Array.from(atob(content), (letter) => letter.charCodeAt(0));
    const late = new File([bytes], name);
    late.arrayBuffer = () => new Promise((resolve) => setTimeout(() => resolve(bytes.buffer), 600));
    const event = new Event("drop", { bubbles: true, cancelable: true });
    document.dispatchEvent(Object.assign(event, { dataTransfer: { files: [late] } }));
  }, [name, bytes.toString("base64")] as const);
}

test("a file that is read slowly does not replace what was chosen after it", async ({ page }) => {
  await open(page, "#applet=Firewall");
  await dropSlowly(page, "slow.jar", archive({ "Slow.class": DROP }));
  await page.selectOption("#applets", "Nat");
  await ran(page);
  await page.waitForTimeout(1000);
  await expect(page.locator("#verdict-text")).toContainText("Nat.class");
  await expect(page.locator("#applet-summary")).not.toContainText("Slow.class");
  // Alone it is shown.
  await dropSlowly(page, "slow.jar", archive({ "Slow.class": DROP }));
  await expect(page.locator("#verdict-text")).toContainText("Slow.class");
});

test("of two classes of a jar that are chosen at once the later one is shown", async ({ page }) => {
  await open(page, "#applet=Drop");
  const noise = Buffer.from(Array.from({ length: 4 << 20 }, (_, at) => (at * 2654435761) >>> 13));
  await page.setInputFiles("#class-file", [file("two.jar", archive({ "Drop.class": DROP, "Long.class": noise }))]);
  await expect(page.locator("#classes option")).toHaveCount(2);
  await page.locator("#classes").evaluate((list) => {
    for (const name of ["Long.class", "Drop.class"]) {
      (list as HTMLSelectElement).value = name;
      list.dispatchEvent(new Event("change"));
    }
  });
  await page.waitForTimeout(1500);
  await expect(page.locator("#applet-summary")).toContainText("Drop.class");
  await expect(page.locator("#judged")).toHaveText("Proved safe: it may run.");
});

test("of links that follow each other quickly the last one is shown", async ({ page }) => {
  await open(page, "#applet=Firewall");
  const assembly = deflateRawSync("; of another link\n").toString("base64url");
  await page.evaluate((assembly) => {
    location.hash = `#applet=Drop&scenario=drop&assembly=${assembly}&at=1us`;
    location.hash = "#applet=Nat&scenario=pingpong";
    location.hash = "#applet=Counter&scenario=counter";
  }, assembly);
  await expect(page.locator("#judged")).toHaveText("Proved safe: it may run.");
  await ran(page);
  await page.waitForTimeout(500);
  await expect(page.locator("#applets")).toHaveValue("Counter");
  await expect(page.locator("#scenarios")).toHaveValue("counter");
  await expect(page.locator("#verdict-text")).toContainText("Counter.class");
  await page.goBack();
  await expect(page.locator("#applets")).toHaveValue("Nat");
  await expect(page.locator("#scenarios")).toHaveValue("pingpong");
});

test("assembly is judged beside a long run, and another run takes its place", async ({ page }) => {
  test.setTimeout(120_000);
  await open(page, "#applet=Drop");
  await page.click("summary");
  await write(page, "#scenario", lasting(1_000_000_000));
  await page.focus("#start");
  await page.keyboard.press("Enter");
  await expect(page.locator("#state")).toHaveText("running");
  await expect(page.locator("#start")).toBeFocused();
  await page.click("#show-assembly");
  const shipped = jive(["asm", "--print", "builtin:Drop"]).stdout;
  await write(page, "#assembly", shipped.replace("ireturn", "ireturm"));
  await expect(page.locator("#judged")).toHaveText("Not a class.");
  await write(page, "#assembly", shipped);
  await expect(page.locator("#judged")).toHaveText("Proved safe: it may run.");
  await expect(page.locator("#state")).toHaveText("running");
  await page.selectOption("#scenarios", "pingpong");
  await ran(page);
  await expect(page.locator("#stop")).toBeDisabled();
  await expect(page.locator("#notices")).not.toContainText("another run");
  await page.selectOption("#scenarios", "drop");
  await write(page, "#scenario", lasting(1_000_000_000));
  await page.click("#start");
  await page.focus("#stop");
  await page.keyboard.press("Enter");
  await expect(page.locator("#notices")).toContainText("the run was stopped");
  await expect(page.locator("#start")).toBeFocused();
});

test("of many spans that are chosen quickly the last one is shown soon", async ({ page }) => {
  await open(page, "#applet=Drop");
  await page.click("summary");
  await write(page, "#scenario", lasting(300));
  await page.click("#start");
  await ran(page);
  const took = Number.parseInt((await page.locator("#state").textContent())?.replace(/\D+/, "") ?? "");
  await page.fill("#find", "wire-tx");
  await page.locator("#tracks").focus();
  for (let pressed = 0; pressed < 60; pressed++) await page.keyboard.press("ArrowRight");
  // Each of them alone takes a run.
  await expect(page.locator("#detail")).toContainText(/Its \d+ bytes/, { timeout: 5000 + 5 * took });
});

test("the page waits until its module is here", async ({ page }) => {
  await page.route("**/jive.wasm", async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 1000));
    await route.continue();
  });
  await page.goto("/#applet=Drop");
  await page.locator("#start").click({ force: true, noWaitAfter: true, timeout: 500 }).catch(() => {});
  await page.evaluate(() => (location.hash = "#applet=Nat"));
  await ran(page);
  await expect(page.locator("#applets")).toHaveValue("Nat");
  await expect(page.locator("#notices")).toBeHidden();
});

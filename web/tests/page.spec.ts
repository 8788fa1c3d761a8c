// What a user does with the page.

import AxeBuilder from "@axe-core/playwright";
import { readFileSync } from "node:fs";
import { deflateRawSync } from "node:zlib";
import { clickSpan, expect, open, ran, test, write } from "./browser";
import { jive } from "./command";

const FIXTURES = "../tests/fixtures/reject/unsafe";

test("an applet of the gallery runs, and a click on a span shows its event", async ({ page }) => {
  await open(page);
  await page.selectOption("#applets", "Nat");
  await ran(page);
  await expect(page.locator("#java")).toContainText("class Nat");
  await expect(page.locator("#judged")).toHaveText("Proved safe: it may run.");
  await clickSpan(page);
  await expect(page.locator("#detail caption")).not.toBeEmpty();
  await expect(page.locator("#moment")).toHaveText(/ us$/);
  await expect(page.locator("#detail")).toContainText("The way of packet");
  await expect(page.locator("#detail")).toContainText(/Ethernet .*\n*IPv4 /);
  await expect(page.locator("#detail")).toContainText(/0000 {2}[0-9a-f]{2} /);
  await page.locator("#detail li button").last().click();
  await expect(page.locator('#detail li button[aria-current="true"]')).toHaveText(/./);
});

test("stepping forwards and back gives the same values, and a span leads to its step", async ({ page }) => {
  await open(page, "#applet=Firewall");
  await page.click("#show-steps");
  const number = page.locator("#step-number");
  const values = page.locator("#values");
  await expect(number).toHaveText(/^step 1: event 1$/);
  const seen: string[] = [];
  const look = async () => `${await number.textContent()}\n${await values.textContent()}`;
  const press = async (button: string) => {
    const before = await number.textContent();
    await page.click(button);
    await expect(number).not.toHaveText(before ?? "");
  };
  const forward = ["instruction", "instruction", "instruction", "event", "event", "instruction", "instruction"];
  for (const kind of forward) {
    seen.push(await look());
    await press(`#${kind}-forward`);
  }
  expect(new Set(seen).size).toBe(forward.length);
  // The way back has the same steps where it goes by the same kind.
  for (let at = 0; at < 2; at++) {
    const there = await look();
    await press("#instruction-back");
    const before = await look();
    expect(before).not.toBe(there);
    await press("#instruction-forward");
    expect(await look()).toBe(there);
    await press("#instruction-back");
    expect(await look()).toBe(before);
  }
  // To a packet's call: its arguments, RxBuf with the packet, and the line of the source.
  await page.click("#show-timeline");
  await page.fill("#find", "doRx");
  await page.locator("#tracks").focus();
  const caption = page.locator("#detail caption");
  await expect(caption).toContainText("doRx");
  for (let at = 0; at < 8 && !(await page.locator("#detail").textContent())?.includes("bytecodes"); at++) {
    await page.keyboard.press("ArrowRight");
  }
  await expect(page.locator("#detail")).toContainText(/code\s*Firewall\.doRx, instruction 0: .*Firewall\.java:\d+: /s);
  // The call's packet is the one that arrived: its bytes and its way.
  await expect(page.locator("#detail")).toContainText("The way of packet 1");
  await expect(page.locator("#detail")).toContainText(/UDP .*0000  02 00/s);
  await page.click("#show-steps");
  await expect(number).toHaveText(/: event 13$/);
  await expect(values).toContainText("applet-call   method=doRx args=[47,1]");
  await expect(values).toContainText(/length\s*47/);
  await expect(values.locator("details[open] pre")).toContainText("0000  ");
  await press("#instruction-forward");
  const first = await look();
  for (let at = 0; at < 5; at++) await press("#instruction-forward");
  expect(await look()).not.toBe(first);
  for (let at = 0; at < 5; at++) await press("#instruction-back");
  expect(await look()).toBe(first);
  await page.click("#event-back");
  await page.click("#event-back");
  await expect(values).toContainText("wire-rx");
});

for (const name of ["firewall", "reliable", "via"]) {
  test(`the page shows the trace of ${name} as a terminal does`, async ({ page }) => {
    await open(page, `#scenario=${name}`);
    const text = readFileSync(`../nic-runtime/scenarios/${name}.toml`, "utf8");
    const terminal = jive(["run", `${name}.toml`, "--stats"], { [`${name}.toml`]: text }).stdout;
    const trace = (await page.locator("#trace").textContent()) ?? "";
    const report = (await page.locator("#summary").textContent()) ?? "";
    expect(terminal.startsWith(trace)).toBe(true);
    expect(terminal.slice(trace.length).trimStart()).toBe(report);
    expect(trace.split("\n").length).toBeGreaterThan(20);
  });
}

test("a class that is refused gets the terminal's diagnosis", async ({ page }) => {
  await open(page);
  for (const fixture of ["stack-underflow", "operand-type", "merge-depth"]) {
    const source = { "Bad.jasm": readFileSync(`${FIXTURES}/${fixture}.jasm`, "utf8") };
    const made = jive(["asm", "Bad.jasm"], source);
    expect(made.status, made.stderr).toBe(0);
    const bytes = readFileSync(`${made.folder}/Bad.class`);
    const terminal = jive(["verify", "Bad.class"], { "Bad.class": bytes });
    await page.setInputFiles("#class-file", { name: "Bad.class", mimeType: "application/java-vm", buffer: bytes });
    await expect(page.locator("#judged")).toHaveText("Refused.");
    expect(terminal.stdout).toContain(`unsafe/${fixture}`);
    // The class before was refused too, so the heading does not say that this one has been judged.
    await expect.poll(() => page.locator("#verdict-text").textContent()).toBe(terminal.stdout.trimEnd());
  }
});

test("the listing has the types before each instruction", async ({ page }) => {
  await open(page, "#applet=Drop");
  await page.click("#show-listing");
  await expect(page.locator("#listing")).toContainText("locals [int, int]");
  const listing = (await page.locator("#listing").textContent()) ?? "";
  // The source that the page has stands behind the numbers of its lines.
  expect(listing).toMatch(/^ {4}line \d+: {2}.*RxBuf\[0\] == UNWANTED/m);
  expect(listing.replace(/^( {4}line \d+): {2}.*$/gm, "$1")).toBe(jive(["disasm", "builtin:Drop"]).stdout);
});

test("packets and trace are downloaded as the command writes them", async ({ page }) => {
  await open(page, "#applet=Firewall");
  const terminal = jive(["run", "firewall", "--format", "json", "--pcap", "packets.pcapng"]);
  const saved = async (button: string) => {
    const waiting = page.waitForEvent("download");
    await page.click(button);
    return readFileSync(await (await waiting).path());
  };
  expect((await saved("#save-json")).toString()).toBe(terminal.stdout);
  expect((await saved("#save-pcapng")).equals(readFileSync(`${terminal.folder}/packets.pcapng`))).toBe(true);
});

test("files that are no class are refused, and the page goes on", async ({ page }) => {
  await open(page);
  const files = [Buffer.alloc(0), Buffer.from("no class"), Buffer.alloc(5 << 20, 0xca)];
  for (const buffer of files) {
    await page.setInputFiles("#class-file", { name: "<b>x</b>.class", mimeType: "", buffer });
    await expect(page.locator("#judged")).toHaveText(/Refused\.|Not a class\./);
    await expect(page.locator("#verdict-text")).toContainText("<b>x</b>.class");
  }
  await page.selectOption("#applets", "Drop");
  await ran(page);
  await expect(page.locator("#judged")).toHaveText("Proved safe: it may run.");
});

test("assembly is judged again while it is edited, and runs", async ({ page }) => {
  await open(page, "#applet=Drop");
  await page.click("#show-assembly");
  const shipped = jive(["asm", "--print", "builtin:Drop"]).stdout;
  await write(page, "#assembly", shipped.replace("ireturn", "ireturm"));
  await expect(page.locator("#judged")).toHaveText("Not a class.");
  await expect(page.locator("#assembly .wrong")).toHaveText(/ireturm/);
  await expect(page.locator("#assembly .wrong + .mistake")).toContainText("ireturm");
  await expect(page.locator("#verdict-text")).toContainText("ireturm");
  await write(page, "#assembly", shipped.replace("ireturn", "iadd\n    ireturn"));
  await expect(page.locator("#judged")).toHaveText("Refused.");
  await expect(page.locator("#verdict-text")).toContainText("unsafe/stack-underflow");
  await write(page, "#assembly", shipped);
  await expect(page.locator("#judged")).toHaveText("Proved safe: it may run.");
  await page.click("#start");
  await ran(page);
});

test("what does not assemble does not run, and what was just edited does", async ({ page }) => {
  await open(page, "#applet=Drop");
  await page.click("#show-assembly");
  const shipped = jive(["asm", "--print", "builtin:Drop"]).stdout;
  await write(page, "#assembly", shipped.replace("ireturn", "ireturm"));
  await expect(page.locator("#judged")).toHaveText("Not a class.");
  await page.click("#start");
  await expect(page.locator("#state")).toHaveText("not run");
  await expect(page.locator("#notices")).toContainText("no class to run");
  // Without a pause, in which the page would judge it by itself.
  await write(page, "#assembly", shipped.replace("ireturn", "iadd\n    ireturn"));
  await page.click("#start");
  await expect(page.locator("#notices")).toContainText("unsafe/stack-underflow");
  // The mistake is in the class, so no line of the scenario is marked.
  await expect(page.locator("#scenario .wrong")).toHaveCount(0);
  await write(page, "#assembly", shipped);
  await page.selectOption("#scenarios", "firewall");
  await ran(page);
  await expect(page.locator("#notices")).toContainText('does not name "builtin:Drop"');
});

test("steps that are asked for quickly are all taken", async ({ page }) => {
  await open(page, "#applet=Firewall");
  await page.click("#show-steps");
  await expect(page.locator("#step-number")).toHaveText(/event 1$/);
  await page.locator("#event-forward").evaluate((button: HTMLElement) => [1, 2, 3].forEach(() => button.click()));
  await expect(page.locator("#step-number")).toHaveText(/event 4$/);
});

test("a mistake in a scenario is shown under its line, as on a terminal", async ({ page }) => {
  await open(page, "#scenario=drop");
  await page.click("summary");
  const text = readFileSync("../nic-runtime/scenarios/drop.toml", "utf8").replace("[[endpoint]]", "[[endpoimt]]");
  await write(page, "#scenario", text);
  await page.click("#start");
  await expect(page.locator("#state")).toHaveText("not run");
  const terminal = jive(["run", "drop.toml"], { "drop.toml": text });
  expect(((await page.locator("#notices").textContent()) ?? "").trim()).toBe(terminal.stderr.trim());
  await expect(page.locator("#scenario .wrong")).toContainText("endpoimt");
  await expect(page.locator("#scenario .wrong + .mistake")).toContainText("endpoimt");
  await page.selectOption("#scenarios", "pingpong");
  await ran(page);
  await expect(page.locator("#notices")).toBeHidden();
});

test("a scenario is completed from its table of keys", async ({ page }) => {
  await open(page, "#scenario=drop");
  await page.click("summary");
  await write(page, "#scenario", '[[nic]]\nname = "card"\n');
  const proposed = page.locator(".cm-tooltip-autocomplete li");
  const accept = async (typed: string, proposal: string) => {
    await page.keyboard.type(typed, { delay: 20 });
    await expect(proposed.first()).toHaveText(proposal);
    // An answer is taken a moment after it is shown, so that it is not taken by mistake.
    await page.waitForTimeout(100);
    await page.keyboard.press("Enter");
    await expect(proposed).toHaveCount(0);
  };
  await accept("[[endp", "[[endpoint]]");
  await page.keyboard.press("Enter");
  await accept("ni", "nic");
  await accept('"', '"card"');
  await page.keyboard.press("Enter");
  await accept("appl", "applet");
  await accept('"builtin:Fire', '"builtin:Firewall"');
  await page.keyboard.press("Enter");
  await accept("on_tr", "on_trap");
  await accept('"det', '"detach"');
  const text = await page.locator("#scenario .cm-line").allTextContents();
  expect(text.slice(2)).toEqual(["[[endpoint]]", 'nic = "card"', 'applet = "builtin:Firewall"', 'on_trap = "detach"']);
});

test("a link opened anew shows the same", async ({ page, context }) => {
  await open(page, "#applet=Firewall&at=20.631us");
  const moment = (await page.locator("#moment").textContent()) ?? "";
  expect(Number.parseFloat(moment)).toBeGreaterThanOrEqual(20.631);
  expect(Number.parseFloat(moment)).toBeLessThan(25);
  await page.click("#show-assembly");
  const changed = `; changed\n${jive(["asm", "--print", "builtin:Firewall"]).stdout}`;
  await write(page, "#assembly", changed);
  await expect(page.locator("#judged")).toHaveText("Proved safe: it may run.");
  await page.click("summary");
  await page.locator("#scenario .cm-content").click();
  await page.keyboard.press("Control+Home");
  await page.keyboard.insertText("# mine\n");
  await page.click("#copy-link");
  await expect(page).toHaveURL(/assembly=.*text=/);
  const other = await context.newPage();
  await other.goto(page.url());
  await ran(other);
  await expect(other.locator("#moment")).toHaveText(moment);
  await expect(other.locator("#assembly")).toContainText("; changed");
  await other.click("summary");
  await expect(other.locator("#scenario")).toContainText("# mine");
});

test("what does not fit into a link is not linked to", async ({ page }) => {
  await open(page, "#applet=Drop");
  await page.setInputFiles("#class-file", { name: "X.class", mimeType: "", buffer: Buffer.from("no class") });
  await expect(page.locator("#judged")).toHaveText("Refused.");
  await page.click("#copy-link");
  await expect(page.locator("#state")).toHaveText("no link: the class cannot be written as assembly");
  await page.selectOption("#applets", "Drop");
  await ran(page);
  await page.click("summary");
  await write(page, "#scenario", `# ${"x".repeat(1 << 20)}`);
  await page.click("#copy-link");
  await expect(page.locator("#state")).toHaveText("no link: it would be too long");
  await expect(page).toHaveURL(/#applet=Drop$/);
});

test("links with broken and hostile fragments open the page", async ({ page }) => {
  const bomb = deflateRawSync(Buffer.alloc(64 << 20)).toString("base64url");
  const fragments = [
    "#applet=<img src=x onerror=alert(1)>&at=<script>alert(1)</script>",
    "#applet=__proto__&scenario=constructor&at=NaN",
    "#applet=%E0%A4%A&text=%%%&assembly=!!!",
    `#text=${bomb}`,
    `#assembly=${bomb}`,
    `#${"a=".repeat(20_000)}`,
    "#at=1e999us&applet=Firewall",
  ];
  for (const fragment of fragments) {
    await page.goto("about:blank");
    await open(page, fragment);
    await expect(page.locator("#applets")).toHaveValue("Firewall");
    expect(await page.locator("img, script:not([src])").count()).toBe(0);
  }
  // What cannot be read is named.
  await page.goto("about:blank");
  await open(page, "#applet=Nothing&scenario=no-such&at=never&text=%%%&assembly=!!!");
  for (const part of ["applet", "scenario", "at", "text", "assembly"]) {
    await expect(page.locator("#notices")).toContainText(`The link's "${part}" cannot be read`);
  }
  // A text that unpacks but says nothing sensible is an error where it stands.
  await page.goto("about:blank");
  await page.goto(`/#text=${deflateRawSync("<img src=x onerror=alert(1)>").toString("base64url")}`);
  await expect(page.locator("#state")).toHaveText("not run");
  await expect(page.locator("#notices")).toContainText("<img src=x onerror=alert(1)>");
});

test("a run that goes on is stopped, and the next one runs, all without a network", async ({ page, context }) => {
  await open(page);
  await context.setOffline(true);
  const text = readFileSync("../nic-runtime/scenarios/drop.toml", "utf8");
  const endless = text.replace('payload = { text = "wanted" }', '$&\nevery = "100us"\nrepeat = 1000000');
  await page.click("summary");
  await write(page, "#scenario", endless);
  await page.click("#start");
  await page.waitForTimeout(500);
  await expect(page.locator("#state")).toHaveText("running");
  await page.click("#stop");
  await expect(page.locator("#notices")).toContainText("the run was stopped");
  await page.selectOption("#applets", "Reliable");
  await ran(page);
  await expect(page.locator("#trace")).toContainText("rx-descriptor");
});

test("a server that does not know modules serves the page, and one without the module is reported", async ({ page, complaints }) => {
  await page.route("**/jive.wasm", async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, headers: { "content-type": "application/octet-stream" } });
  });
  await open(page);
  await page.unroute("**/jive.wasm");
  await page.route("**/jive.wasm", (route) => route.fulfill({ status: 404 }));
  await page.reload();
  await expect(page.locator("#verdict-text")).toContainText("jive.wasm: 404");
  complaints.splice(0);
});

for (const colorScheme of ["light", "dark"] as const) {
  for (const width of [1280, 390]) {
    test(`axe finds no error, ${colorScheme} at ${width} pixels`, async ({ page }) => {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 844 });
      await open(page, "#applet=Firewall&at=20.631us");
      const columns = width < 900 ? ["code", "verdict", "run"] : [""];
      for (const column of columns) {
        if (column) await page.click(`[data-column=${column}]`);
        const { violations } = await new AxeBuilder({ page }).analyze();
        expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`)).toEqual([]);
      }
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    });
  }
}

// The page: code at the left, its verdict in the middle, its run at the right.

import { completing } from "./complete";
import { editor, type Mark } from "./editor";
import { Engine, load, Refused, type Form, type Gallery, type Judged, type Ran, type Runnable } from "./engine";
import { choiceOf, sourceName, type Choice } from "./files";
import { fromHex, headers, hexDump, payloadAt } from "./headers";
import { base64, fromBase64, read, write, type Linked } from "./link";
import { play } from "./play";
import { tracksOf, type Span } from "./spans";
import { eventOf, isOfCall, placeOf, Steps, type SourceLine } from "./steps";
import { TimelineView } from "./timeline";

/** The applet that is shown where the address names none that is shipped. */
const FIRST = "Firewall";
/** How long to wait after a keystroke before assembly is judged again, in milliseconds. */
const PAUSE = 250;
/** The most letters of a trace that are shown: the browser lays them all out at once. */
const TRACE_MAX = 4 << 20;

function element<E extends HTMLElement>(id: string): E {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no #${id}`);
  return found as E;
}

/** The module is fetched once; nothing is asked before it is here. */
let engine: Engine;
const applets = element<HTMLSelectElement>("applets");
const scenarios = element<HTMLSelectElement>("scenarios");
const classes = element<HTMLSelectElement>("classes");
const java = editor(element("java"), "java", "Java source");
const assembly = editor(element("assembly"), "assembly", "Assembly", () => edited());
const scenario = editor(element("scenario"), "toml", "Scenario", () => scenario.mark([]));
const timeline = new TimelineView(element<HTMLCanvasElement>("tracks"), showSpan);

const steps = new Steps(() => engine, element("values"), (message) => (element("step-number").textContent = message), sourceLine);

let gallery: Gallery = { version: "", applets: [], scenarios: [] };
/** The class that is shown, as base64, its file name, and its source by its name if it came from this computer. */
let shown: { name: string; class: string; sources: Record<string, string> } = { name: "", class: "", sources: {} };
/** The classes that were opened together. */
let choice: Choice | null = null;
/** Whether the shown class is not the shipped one of its name. */
let isOwn = false;
let ran: Ran | null = null;
/** What the shown run is of. */
let runnable: Runnable | null = null;
let pause = 0;
/** How often a class was chosen. What was read for an earlier choice comes too late. */
let turns = 0;
/** How often a run was begun. */
let runs = 0;

function isPressed(group: Record<string, string>, chosen: string): void {
  for (const [button, panel] of Object.entries(group)) {
    element(button).setAttribute("aria-pressed", String(button === chosen));
    element(panel).hidden = button !== chosen;
  }
}

function choices(group: Record<string, string>): void {
  for (const button of Object.keys(group)) {
    element(button).addEventListener("click", () => isPressed(group, button));
  }
}

const CODE = { "show-java": "java", "show-assembly": "assembly" };
const VERDICT = { "show-verdict": "verdict-text", "show-listing": "listing" };
const RESULT = { "show-timeline": "timeline", "show-trace": "trace", "show-summary": "summary", "show-steps": "steps" };
choices(CODE);
choices(VERDICT);
choices(RESULT);
for (const button of document.querySelectorAll<HTMLButtonElement>("#tabs button")) {
  button.addEventListener("click", () => showColumn(button.dataset["column"] ?? "code"));
}

function options(list: HTMLSelectElement, named: { name: string; summary: string }[]): void {
  list.replaceChildren(...named.map(({ name, summary }) => {
    const option = new Option(name, name);
    option.title = summary;
    return option;
  }));
}

function say(message: string): void {
  element("state").textContent = message;
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

// Code and verdict

function showJudged(judged: Judged): void {
  const line = element("judged");
  line.textContent = judged.accepted ? "Proved safe: it may run." : "Refused.";
  line.className = judged.accepted ? "good" : "bad";
  element("verdict-text").textContent = judged.text;
  shown.class = judged.class;
  element("listing").textContent = "";
  if (!element("listing").hidden) void list();
}

/** Shows the listing of the class. It is made when it is looked at, because it is long. */
async function list(): Promise<void> {
  const box = element("listing");
  const of = shown.class;
  try {
    const text = await engine.list(of);
    if (shown.class === of) box.textContent = withSource(text);
  } catch (error) {
    box.textContent = reason(error);
  }
}

/** Puts the lines of the shown class's source, if the page has it, behind their numbers in its listing. */
function withSource(listing: string): string {
  const [own] = Object.values(shown.sources);
  const shipped = isOwn ? undefined : gallery.applets.find(({ name }) => name === applets.value)?.source;
  const lines = (own ?? shipped)?.split("\n") ?? [];
  return listing.replace(/^ {4}line (\d+)$/gm, (found, number: string) => {
    const line = lines[Number(number) - 1]?.trim();
    return line ? `${found}:  ${line}` : found;
  });
}

/** Judges a class and shows it; without a verdict, or when another class is shown by then, nothing is returned. */
async function judge(name: string, bytes: string, sources: Record<string, string> = {}): Promise<Judged | null> {
  const own = { name, class: bytes, sources };
  shown = own;
  clearTimeout(pause);
  pause = 0;
  try {
    const judged = await engine.judge(name, bytes, sources);
    if (shown !== own) return null;
    showJudged(judged);
    assembly.set(judged.assembly ?? "");
    assembly.mark([]);
    return judged;
  } catch (error) {
    if (shown !== own) return null;
    assembly.set("");
    refuse(reason(error));
    return null;
  }
}

/** Says why there is no class. Nothing runs until there is one. */
function refuse(message: string): void {
  shown = { ...shown, class: "" };
  isOwn = true;
  element("listing").textContent = "";
  const line = element("judged");
  line.textContent = "Not a class.";
  line.className = "bad";
  element("verdict-text").textContent = message;
}

/** Judges edited assembly again, a moment after the last keystroke. */
function edited(): void {
  clearTimeout(pause);
  isOwn = true;
  turns++;
  pause = setTimeout(() => void assemble(), PAUSE);
}

async function assemble(): Promise<void> {
  clearTimeout(pause);
  pause = 0;
  // The lines of a source are not those of what is edited here.
  const own = { ...shown, sources: {} };
  shown = own;
  try {
    const judged = await engine.assemble(own.name.replace(/(\.class)?$/, ".jasm"), assembly.text());
    if (shown !== own) return;
    showJudged(judged);
    assembly.mark([]);
  } catch (error) {
    if (shown !== own) return;
    const message = reason(error);
    refuse(message);
    assembly.mark(marks(message, message));
  }
}

/** Judges a class that was compiled, puts it in the place of the shipped one, and returns its faults by lines. */
async function takeCompiled(name: string, bytes: string): Promise<Mark[]> {
  isOwn = true;
  turns++;
  const judged = await judge(`${name}.class`, bytes, { [`${name}.java`]: java.text() });
  const faults = judged?.verdict.rejections ?? [];
  return faults.flatMap(({ code, message, line }) => (line ? [{ line, message: `${code}: ${message}` }] : []));
}

/** Returns a message as a mark at the line that a place names, as in `x.jasm:12: …`. */
function marks(place: string, message: string): Mark[] {
  const found = /:(\d+)(?::\d+)?[:\s]/.exec(`${place}\n`);
  return found ? [{ line: Number(found[1]), message }] : [];
}

async function chooseApplet(name: string): Promise<void> {
  turns++;
  const applet = gallery.applets.find((applet) => applet.name === name) ?? gallery.applets.find(({ name }) => name === FIRST);
  if (!applet) return;
  applets.value = applet.name;
  offer([]);
  element("applet-summary").textContent = applet.summary;
  element<HTMLButtonElement>("show-java").disabled = false;
  isPressed(CODE, "show-java");
  java.set(applet.source);
  java.mark([]);
  isOwn = false;
  if (applet.scenario !== null) chooseScenario(applet.scenario);
  await judge(`${applet.name}.class`, applet.class);
}

/** Opens files from this computer: classes, archives, and sources. A source alone is that of the shown class. */
async function openFiles(files: File[]): Promise<void> {
  const turn = ++turns;
  try {
    const { choice: opened, sources } = await choiceOf(files);
    if (turn !== turns) return;
    if (opened) {
      choice = opened;
      offer(opened.names);
      return await openClass(opened.names[0] ?? "");
    }
    const [source] = sources;
    if (source) await takeSource(...source);
  } catch (error) {
    if (turn !== turns) return;
    offer([]);
    refuse(reason(error));
  }
}

/** Offers a choice among several classes. */
function offer(names: string[]): void {
  options(classes, names.map((name) => ({ name, summary: "" })));
  element("classes-label").hidden = names.length < 2;
}

/** Opens one of the classes that were opened together. */
async function openClass(name: string): Promise<void> {
  const turn = ++turns;
  try {
    const opened = await choice?.read(name);
    if (!opened || turn !== turns) return;
    isOwn = true;
    showSource(opened.source);
    element("applet-summary").textContent = `${opened.name}, from this computer`;
    const sources = opened.source === null ? {} : { [sourceName(opened.name)]: opened.source };
    await judge(opened.name, base64(opened.bytes), sources);
  } catch (error) {
    if (turn !== turns) return;
    refuse(reason(error));
  }
}

/** Takes a source for the shown class. */
async function takeSource(name: string, text: string): Promise<void> {
  isOwn = true;
  showSource(text);
  const folder = /^.*\//.exec(shown.name)?.[0] ?? "";
  await judge(shown.name, shown.class, { [folder + name]: text });
}

/** Shows a Java source; without one, the assembly. */
function showSource(text: string | null): void {
  java.set(text ?? "");
  element<HTMLButtonElement>("show-java").disabled = text === null;
  isPressed(CODE, text === null ? "show-assembly" : "show-java");
}

// Runs

function chooseScenario(name: string): void {
  const found = gallery.scenarios.find((scenario) => scenario.name === name);
  if (!found) return;
  scenarios.value = found.name;
  element("scenario-summary").textContent = found.summary;
  scenario.set(found.text);
  scenario.mark([]);
}

/** Returns the scenario with the shown class in place of the shipped applet of that name, and the files that it names. */
function withOwnClass(): Runnable {
  const name = `${scenarios.value}.toml`;
  const text = scenario.text();
  const file = `${shown.name.replace(/\.\w+$/, "")}.class`;
  const builtin = `"builtin:${applets.value}"`;
  if (!isOwn) return { name, scenario: text, files: {}, sources: {} };
  const files = { [file]: shown.class };
  // TOML writes strings as JSON does, but for this letter.
  const quoted = JSON.stringify(file).replaceAll("\u007f", "\\u007f");
  return { name, scenario: text.replaceAll(builtin, () => quoted), files, sources: shown.sources };
}

/** Runs the scenario, in place of a run that goes on. Returns whether the run came to its end and is shown. */
async function start(notes: string[] = []): Promise<boolean> {
  const own = ++runs;
  say("running");
  if (pause !== 0) await assemble();
  if (own !== runs) return false;
  const asked = withOwnClass();
  // A class takes the place of the shipped applet where the scenario names that.
  const isLeftOut = isOwn && asked.scenario === scenario.text();
  const began = performance.now();
  try {
    if (isOwn && shown.class === "") throw new Refused("There is no class to run: the verdict says why.");
    const answer = await engine.run(asked);
    if (own !== runs) return false;
    runnable = asked;
    steps.begin(asked);
    const leftOut = `The scenario does not name "builtin:${applets.value}", so this run is without the shown class.`;
    showRan(answer, isLeftOut ? [...notes, leftOut] : notes);
    say(`done in ${Math.round(performance.now() - began)} ms`);
    return true;
  } catch (error) {
    if (own !== runs) return false;
    const message = reason(error);
    say("not run");
    showNotices([...notes, message]);
    // What is wrong may also be in the class.
    const place = `--> ${asked.name}:`;
    if (message.includes(place)) scenario.mark(marks(message.slice(message.indexOf(place)), message));
    return false;
  }
}

/** Permits to stop what runs. */
function allowStop(isBusy: boolean): void {
  const stop = element<HTMLButtonElement>("stop");
  // A button that is disabled loses the focus.
  if (!isBusy && document.activeElement === stop) element("start").focus();
  stop.disabled = !isBusy;
}

function showNotices(notices: string[]): void {
  const box = element("notices");
  box.textContent = notices.join("\n\n");
  box.hidden = notices.length === 0;
}

/** Returns as many lines of a trace as are shown. */
function startOf(trace: string): string {
  if (trace.length <= TRACE_MAX) return trace;
  return `${trace.slice(0, trace.lastIndexOf("\n", TRACE_MAX) + 1)}\nThe rest is in the file that "Download trace" gives.`;
}

function showRan(answer: Ran, notes: string[]): void {
  ran = answer;
  const early = answer.ended_early ? ["The run was ended here because its trace or timeline would become too long for a page."] : [];
  showNotices([...notes, ...early, ...answer.notices]);
  element("trace").textContent = startOf(answer.trace);
  element("summary").textContent = answer.report.trimStart();
  timeline.show(tracksOf(answer.timeline.traceEvents));
}

/** Shows a span's times and fields, and the way of its packet. */
function showSpan(span: Span | null): void {
  const detail = element("detail");
  element("moment").textContent = span ? `${span.begin} us` : "";
  if (!span) {
    detail.replaceChildren();
    return;
  }
  const table = document.createElement("table");
  table.createCaption().textContent = `${span.track.nic}, ${span.track.name}: ${span.name}`;
  const row = (name: string, value: unknown) => {
    const cells = table.insertRow();
    const head = document.createElement("th");
    head.scope = "row";
    head.textContent = name;
    cells.append(head);
    cells.insertCell().textContent = typeof value === "object" ? JSON.stringify(value) : String(value);
  };
  row("from", `${span.begin} us`);
  if (span.end > span.begin) row("for", `${Number((span.end - span.begin).toFixed(6))} us`);
  for (const [name, value] of Object.entries(span.fields)) row(name, value);
  detail.replaceChildren(table);
  steps.jump(span);
  if (isOfCall(span)) void showCode(span, row);
  const { packet } = span;
  if (packet === null || !ran) return;
  const way = document.createElement("ol");
  for (const step of wayOf(packet)) {
    const item = document.createElement("li");
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = `${step.begin} us ${step.track.nic}, ${step.track.name}: ${step.name}`;
    button.addEventListener("click", () => timeline.choose(step));
    if (step === span) button.setAttribute("aria-current", "true");
    item.append(button);
    way.append(item);
  }
  const title = document.createElement("p");
  title.textContent = `The way of packet ${packet}:`;
  const bytes = document.createElement("div");
  detail.append(title, way, bytes);
  void showBytes(span, packet, bytes);
}

/** Shows the instruction and the source line of a call's span. */
async function showCode(span: Span, row: (name: string, value: unknown) => void): Promise<void> {
  const event = eventOf(span);
  if (!runnable || !event) return;
  try {
    const call = (await engine.step(runnable, event, () => timeline.span() === span))?.call;
    if (call) row("code", placeOf(call, sourceLine));
  } catch (error) {
    row("code", reason(error));
  }
}

/** Returns a line of the Java source of a class of the shown run, if the page has it. */
function sourceLine(call: Parameters<SourceLine>[0], line: number): string | null {
  const name = call.class.replace(/^.*\./, "");
  const isNamed = (path: string, ending: string) => path.replace(/^.*\//, "") === name + ending;
  const { files = {}, sources = {} } = runnable ?? {};
  const own = Object.entries(sources).find(([path]) => isNamed(path, ".java"))?.[1];
  const isOwnClass = Object.keys(files).some((path) => isNamed(path, ".class"));
  const shipped = isOwnClass ? undefined : gallery.applets.find((applet) => applet.name === call.class)?.source;
  return (own ?? shipped)?.split("\n")[line - 1] ?? null;
}

/** Shows the headers and bytes of a span's packet, and the packet's story. */
async function showBytes(span: Span, packet: number, place: HTMLElement): Promise<void> {
  if (!runnable) return;
  try {
    const story = await engine.follow(runnable, packet, () => timeline.span() === span);
    const digits = payloadAt(story, span);
    const block = (name: string, text: string, isOpen: boolean) => {
      const details = document.createElement("details");
      details.open = isOpen;
      details.append(document.createElement("summary"), document.createElement("pre"));
      details.children[0]?.append(name);
      details.children[1]?.append(text);
      details.children[1]?.setAttribute("tabindex", "0");
      return details;
    };
    const told = block("Its story, as jive run --follow tells it", story, false);
    if (digits === null) return place.replaceChildren(told);
    const bytes = fromHex(digits);
    const decoded = headers(bytes);
    const dump = [...decoded, ...(decoded.length > 0 ? [""] : []), hexDump(bytes)].join("\n");
    place.replaceChildren(block(`Its ${bytes.length} bytes`, dump, true), told);
  } catch (error) {
    place.textContent = reason(error);
  }
}

/** Returns the spans of a packet, in the order of time. */
function wayOf(packet: number): Span[] {
  return timeline.spans().filter((span) => span.packet === packet);
}

/** Scales the timeline to the way of the chosen span's packet, or to the span where it has none. */
function focus(): void {
  const span = timeline.span();
  if (!span) return;
  timeline.focus(span.packet === null ? [span] : wayOf(span.packet));
}

// What can be taken along

function save(name: string, content: string | Uint8Array<ArrayBuffer>, type: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([content], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** Runs again for a file in this form, and saves the file. */
async function saveFile(form: Form): Promise<void> {
  if (!runnable) return say("nothing was run yet");
  try {
    const bytes = fromBase64(await engine.file(runnable, form));
    const [ending, type] = form === "pcapng" ? ["pcapng", "application/x-pcapng"] : ["jsonl", "application/jsonl"];
    save(`${scenarios.value}.${ending}`, bytes, type);
  } catch (error) {
    say(reason(error));
  }
}

async function copyLink(): Promise<void> {
  if (isOwn && assembly.text() === "") return say("no link: the class cannot be written as assembly");
  const shipped = gallery.scenarios.find(({ name }) => name === scenarios.value);
  const linked: Linked = { applet: applets.value, scenario: scenarios.value };
  if (isOwn) linked.assembly = assembly.text();
  if (shipped?.text !== scenario.text()) linked.text = scenario.text();
  const chosen = timeline.time();
  if (chosen !== null) linked.at = `${chosen}us`;
  try {
    history.replaceState(null, "", await write(linked));
  } catch (error) {
    return say(`no link: ${reason(error)}`);
  }
  try {
    await navigator.clipboard.writeText(location.href);
    say("the link is copied");
  } catch {
    say("the link is in the address bar");
  }
}

/** Hands the timeline to Perfetto's page by `postMessage`, once that page answers. */
function openPerfetto(): void {
  if (!ran) return say("nothing was run yet");
  const origin = "https://ui.perfetto.dev";
  const other = open(origin);
  if (!other) return say("the browser opens no other page");
  const bytes = new TextEncoder().encode(JSON.stringify(ran.timeline)).buffer;
  const timer = setInterval(() => other.postMessage("PING", origin), 100);
  setTimeout(() => clearInterval(timer), 30_000);
  addEventListener("message", function answered({ origin: from, data }) {
    if (from !== origin || data !== "PONG") return;
    clearInterval(timer);
    removeEventListener("message", answered);
    other.postMessage({ perfetto: { buffer: bytes, title: `JIVE: ${scenarios.value}` } }, origin);
  });
}

function showColumn(column: string): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>("#tabs button")) {
    button.setAttribute("aria-pressed", String(button.dataset["column"] === column));
  }
  for (const section of document.querySelectorAll("main > section")) {
    section.classList.toggle("shown", section.id === column);
  }
}

function listen(): void {
  const on = (id: string, act: () => void) => element(id).addEventListener("click", act);
  applets.addEventListener("change", () => void chooseApplet(applets.value).then(() => start()));
  classes.addEventListener("change", () => void openClass(classes.value));
  scenarios.addEventListener("change", () => {
    chooseScenario(scenarios.value);
    void start();
  });
  on("start", () => void start());
  on("stop", () => engine.stop("the run was stopped"));
  on("back", () => timeline.step(-1));
  on("forward", () => timeline.step(1));
  on("fit", () => timeline.fit());
  on("focus", focus);
  on("copy-link", () => void copyLink());
  on("save-scenario", () => save(`${scenarios.value}.toml`, scenario.text(), "text/plain"));
  on("save-trace", () => save(`${scenarios.value}.trace`, ran?.trace ?? "", "text/plain"));
  on("save-timeline", () => save(`${scenarios.value}.json`, JSON.stringify(ran?.timeline ?? {}), "application/json"));
  on("save-pcapng", () => void saveFile("pcapng"));
  on("save-json", () => void saveFile("json"));
  on("show-listing", () => void list());
  on("open-perfetto", openPerfetto);
  on("show-steps", () => void steps.open());
  on("event-back", () => void steps.event(-1));
  on("event-forward", () => void steps.event(1));
  on("instruction-back", () => void steps.instruction(-1));
  on("instruction-forward", () => void steps.instruction(1));
  const find = element<HTMLInputElement>("find");
  find.addEventListener("input", () => timeline.find(find.value));
  const chosen = element<HTMLInputElement>("class-file");
  chosen.addEventListener("change", () => {
    void openFiles([...(chosen.files ?? [])]);
    chosen.value = "";
  });
  document.addEventListener("dragover", (event) => {
    event.preventDefault();
    document.body.classList.add("dropping");
  });
  document.addEventListener("dragleave", () => document.body.classList.remove("dropping"));
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    document.body.classList.remove("dropping");
    void openFiles([...(event.dataTransfer?.files ?? [])]);
  });
  addEventListener("hashchange", () => void follow());
}

/** Shows what the address links to. */
async function follow(): Promise<void> {
  const begun = ++turns;
  const { linked, broken } = await read(location.hash);
  if (begun !== turns) return;
  const judged = chooseApplet(linked.applet ?? FIRST);
  if (linked.scenario !== undefined) chooseScenario(linked.scenario);
  if (linked.text !== undefined) scenario.set(linked.text);
  if (linked.assembly !== undefined) {
    assembly.set(linked.assembly);
    isPressed(CODE, "show-assembly");
    isOwn = true;
  }
  const turn = turns;
  await (linked.assembly === undefined ? judged : assemble());
  if (turn !== turns) return;
  const isKnown = linked.applet === undefined || linked.applet === applets.value;
  const isFound = linked.scenario === undefined || linked.scenario === scenarios.value;
  const unread = [...broken, ...(isKnown ? [] : ["applet"]), ...(isFound ? [] : ["scenario"])];
  const isShown = await start(unread.map((part) => `The link's "${part}" cannot be read, so the page's own is shown.`));
  if (!isShown || linked.at === undefined) return;
  timeline.chooseAt(Number.parseFloat(linked.at));
  focus();
}

async function main(): Promise<void> {
  showColumn("run");
  // Nothing can be done before everything is here.
  const page = document.querySelector("main");
  page?.toggleAttribute("inert", true);
  try {
    engine = new Engine(await load(), allowStop);
    gallery = await engine.gallery();
  } catch (error) {
    showColumn("verdict");
    refuse(reason(error));
    return;
  } finally {
    page?.toggleAttribute("inert", false);
  }
  listen();
  element("version").textContent = `version ${gallery.version}`;
  options(applets, gallery.applets);
  options(scenarios, gallery.scenarios);
  await Promise.all([follow(), play(java, element("java"), { compiled: takeCompiled, refused: refuse })]);
  scenario.complete(completing(await engine.keys(), gallery.applets.map(({ name }) => name)));
}

void main();

// Steps through a run: by event and by instruction, forwards and backwards, with the values of the applet's call. A step back
// is a run to an earlier moment.

import type { CallState, Engine, FrameState, Held, HeldArray, Moment, Runnable, Wanted } from "./engine";
import { fromHex, hexDump } from "./headers";
import type { Span } from "./spans";

/** Returns the event that a span of the timeline stands for. */
export function eventOf({ name, begin, end, fields }: Span): Wanted | null {
  const endpoint = fields["endpoint"];
  if (typeof endpoint !== "string") return null;
  const at = (event: string, time: number) => ({ event: { name: event, time: Math.round(time * 1e6), endpoint } });
  if (fields["method"] !== undefined && fields["bytecodes"] !== undefined) return at("applet-call", begin);
  // A native is an event when it is done.
  return isNative(fields) ? at("native", end) : at(name, begin);
}

function isNative(fields: Record<string, unknown>): boolean {
  return typeof fields["name"] === "string" && Array.isArray(fields["args"]);
}

/** Whether a span is a call of an applet, or a native that a call has made. */
export function isOfCall({ fields }: Span): boolean {
  return fields["bytecodes"] !== undefined || isNative(fields);
}

/** Returns a line of the source of a class, if it is known. */
export type SourceLine = (call: CallState, line: number) => string | null;

/** Returns where a call is, in a line. */
export function placeOf(call: CallState, sourceLine: SourceLine): string {
  const [frame] = call.frames;
  if (!frame) return call.class;
  const where = `${call.class}.${frame.method}, instruction ${frame.pc}: ${frame.instruction}`;
  if (frame.line === null) return where;
  const text = sourceLine(call, frame.line);
  const line = `${call.source ?? call.class}:${frame.line}`;
  return text === null ? `${where}\n${line}` : `${where}\n${line}:  ${text.trim()}`;
}

/** What stands in the place of values where there are none. */
const NO_CALL = "No applet runs here, or one whose class came in a capsule: its values are not shown.";

/** The panel with the values at a moment. */
export class Steps {
  private run: Runnable | null = null;
  private moment: Moment | null = null;
  /** Where stepping begins, if not at the beginning. */
  private first: Wanted | null = null;
  private asked = 0;
  /** Steps are taken one after another, however fast they are asked for. */
  private last: Promise<void> = Promise.resolve();

  constructor(
    private readonly engine: () => Engine,
    private readonly place: HTMLElement,
    private readonly say: (message: string) => void,
    private readonly sourceLine: SourceLine,
  ) {}

  /** Begins anew, with another run. */
  begin(run: Runnable): void {
    this.run = run;
    this.moment = null;
    this.first = null;
    this.asked++;
    this.place.replaceChildren();
    this.say("");
  }

  /** Lets stepping go on at a span of the timeline. */
  jump(span: Span): void {
    this.first = eventOf(span);
    this.moment = null;
    if (this.place.offsetParent) void this.open();
  }

  /** Shows a moment when the panel is opened. */
  async open(): Promise<void> {
    if (!this.moment) await this.go(this.first ?? { "event-after": 0 });
  }

  instruction(by: 1 | -1): Promise<void> {
    return this.from((number) => (by > 0 ? { "instruction-after": number } : { "instruction-before": number }));
  }

  event(by: 1 | -1): Promise<void> {
    return this.from((number) => (by > 0 ? { "event-after": number } : { "event-before": number }));
  }

  /** Steps on from the moment at which the steps before have arrived, or from the span where stepping begins. */
  private from(wanted: (number: number) => Wanted): Promise<void> {
    const { run } = this;
    this.last = this.last.then(async () => {
      if (run !== this.run) return;
      if (!this.moment && this.first) await this.open();
      await this.go(wanted(this.moment?.number ?? 0));
    });
    return this.last;
  }

  private async go(wanted: Wanted): Promise<void> {
    const { run } = this;
    if (!run) return this.say("nothing was run yet");
    const asked = ++this.asked;
    try {
      const moment = await this.engine().step(run, wanted, () => asked === this.asked);
      // Another step or another run may have been asked for meanwhile.
      if (asked !== this.asked) return;
      if (moment) this.show(moment);
      else this.say("the run has no such step");
    } catch (error) {
      if (asked === this.asked) this.say(error instanceof Error ? error.message : String(error));
    }
  }

  private show(moment: Moment): void {
    this.moment = moment;
    const what = moment.is_event ? `event ${moment.events}` : `an instruction behind event ${moment.events}`;
    this.say(`step ${moment.number}: ${what}`);
    const { call } = moment;
    const event = text("pre", moment.event.trim());
    event.tabIndex = 0;
    event.setAttribute("aria-label", "The last event");
    this.place.replaceChildren(event, ...(call ? this.callOf(call) : [text("p", NO_CALL)]));
  }

  private callOf(call: CallState): HTMLElement[] {
    const [inner, ...outer] = call.frames;
    const where = text("pre", placeOf(call, this.sourceLine));
    where.id = "step-place";
    where.tabIndex = 0;
    where.setAttribute("aria-label", "The next instruction");
    return [
      where,
      ...(inner ? framesOf(inner) : []),
      ...outer.map((frame) => folded(`called by ${frame.method}, instruction ${frame.pc}`, framesOf(frame))),
      tableOf("Fields", call.fields),
      ...call.arrays.map(arrayOf),
    ];
  }
}

function framesOf(frame: FrameState): HTMLElement[] {
  return [tableOf("Local variables", frame.locals), tableOf("Stack, from its bottom", frame.stack)];
}

function tableOf(title: string, values: Held[]): HTMLElement {
  if (values.length === 0) return text("p", `${title}: none`);
  const table = document.createElement("table");
  table.createCaption().textContent = title;
  for (const { name, value } of values) {
    const cells = table.insertRow();
    const head = text("th", name);
    head.setAttribute("scope", "row");
    cells.append(head);
    cells.insertCell().textContent = value;
  }
  return table;
}

function arrayOf(array: HeldArray): HTMLElement {
  const more = array.left_out > 0 ? `\n… ${array.left_out} more` : "";
  const content = array.bytes !== undefined ? dumpOf(fromHex(array.bytes)) : (array.elements ?? []).join(" ");
  const block = text("pre", content + more);
  block.tabIndex = 0;
  block.setAttribute("aria-label", array.name);
  return folded([array.name, ...array.held_by].join(", "), [block], array.held_by.includes("RxBuf"));
}

/** Returns bytes in hexadecimal, without lines of zeros at the end. */
function dumpOf(bytes: Uint8Array): string {
  let used = bytes.length;
  while (used > 1 && bytes[used - 1] === 0) used--;
  const length = Math.min(bytes.length, 16 * Math.ceil(used / 16));
  const zeros = length < bytes.length ? `\n… zeros up to ${bytes.length.toString(16).padStart(4, "0")}` : "";
  return hexDump(bytes.subarray(0, length)) + zeros;
}

function folded(title: string, content: HTMLElement[], isOpen = false): HTMLElement {
  const details = document.createElement("details");
  details.open = isOpen;
  details.append(text("summary", title), ...content);
  return details;
}

function text(kind: keyof HTMLElementTagNameMap, content: string): HTMLElement {
  const made = document.createElement(kind);
  made.textContent = content;
  return made;
}

// The library in its worker: requests out, answers in. A request that takes too long is given up, and the worker with it.

import type { Sections } from "./complete";

/** What `jive-web` may be asked; `jive-web/src/lib.rs` describes each request. */
export type Request =
  | { ask: "gallery" }
  | { ask: "keys" }
  | { ask: "judge"; name: string; class: string; sources: Record<string, string> }
  | { ask: "assemble"; name: string; text: string }
  | { ask: "list"; class: string }
  | { ask: "run"; run: Runnable }
  | { ask: "follow"; run: Runnable; packet: number }
  | { ask: "step"; run: Runnable; wanted: Wanted }
  | { ask: "file"; run: Runnable; form: Form };

/** A scenario, the files that it names, as base64, and the sources of its classes. */
export interface Runnable {
  name: string;
  scenario: string;
  files: Record<string, string>;
  sources: Record<string, string>;
}

export type Form = "pcapng" | "json";

export interface Applet {
  name: string;
  summary: string;
  source: string;
  class: string;
  scenario: string | null;
}

export interface Scenario {
  name: string;
  summary: string;
  text: string;
}

export interface Gallery {
  version: string;
  applets: Applet[];
  scenarios: Scenario[];
}

/** A fault of a class, as docs/verdict.schema.json has it. */
export interface Fault {
  code: string;
  message: string;
  line?: number;
}

export interface Judged {
  accepted: boolean;
  verdict: { rejections?: Fault[] };
  text: string;
  assembly: string | null;
  class: string;
}

export interface Ran {
  trace: string;
  report: string;
  timeline: { traceEvents: import("./spans").TraceEvent[] };
  summary: unknown;
  notices: string[];
  ended_early: boolean;
}

/** Which moment of a run is wanted. Moments are numbered from 1, events and instructions together. */
export type Wanted =
  | { "instruction-after": number }
  | { "instruction-before": number }
  | { "event-after": number }
  | { "event-before": number }
  | { event: { time: number; name: string; endpoint: string } };

/** A moment of a run, as `nic-runtime/src/export/moments` describes it. */
export interface Moment {
  number: number;
  events: number;
  is_event: boolean;
  event: string;
  call: CallState | null;
}

export interface CallState {
  endpoint: string;
  class: string;
  source: string | null;
  frames: FrameState[];
  fields: Held[];
  arrays: HeldArray[];
}

export interface FrameState {
  method: string;
  pc: number;
  line: number | null;
  instruction: string;
  locals: Held[];
  stack: Held[];
}

export interface Held {
  name: string;
  value: string;
}

export interface HeldArray {
  name: string;
  held_by: string[];
  left_out: number;
  bytes?: string;
  elements?: number[];
}

/** Why there is no answer: the library refuses, or the worker was stopped or died. */
export class Refused extends Error {}

interface Waiting {
  number: number;
  request: string;
  seconds: number;
  /** Whether the answer is still of use when its turn comes. */
  isWanted: () => boolean;
  resolve: (answer: unknown) => void;
  reject: (reason: Refused) => void;
}

/** The most seconds that a run takes. */
const RUN_SECONDS = 120;

/** The most seconds that anything else takes. */
const SECONDS = 20;

/** The library. Classes are judged beside a run, however long that takes. */
export class Engine {
  private readonly classes: Line;
  private readonly runs: Line;

  /** `onBusy` is told when the first run begins and when the last one has ended. */
  constructor(loaded: Loaded, onBusy: (isBusy: boolean) => void) {
    this.classes = new Line(loaded, () => {});
    this.runs = new Line(loaded, onBusy);
  }

  gallery(): Promise<Gallery> {
    return this.classes.ask({ ask: "gallery" }, 3 * SECONDS) as Promise<Gallery>;
  }

  keys(): Promise<Sections> {
    return this.classes.ask({ ask: "keys" }, SECONDS) as Promise<Sections>;
  }

  judge(name: string, bytes: string, sources: Record<string, string>): Promise<Judged> {
    return this.classes.ask({ ask: "judge", name, class: bytes, sources }, SECONDS) as Promise<Judged>;
  }

  assemble(name: string, text: string): Promise<Judged> {
    return this.classes.ask({ ask: "assemble", name, text }, SECONDS) as Promise<Judged>;
  }

  list(bytes: string): Promise<string> {
    return this.classes.ask({ ask: "list", class: bytes }, SECONDS) as Promise<string>;
  }

  /** Runs a scenario, in place of whatever was run or waits. */
  run(run: Runnable): Promise<Ran> {
    if (this.runs.isBusy()) this.stop("another run has begun");
    return this.runs.ask({ ask: "run", run }, RUN_SECONDS) as Promise<Ran>;
  }

  /** Runs again, and returns the story of a packet with its bytes. */
  follow(run: Runnable, packet: number, isWanted: () => boolean): Promise<string> {
    return this.runs.ask({ ask: "follow", run, packet }, RUN_SECONDS, isWanted) as Promise<string>;
  }

  /** Runs again up to a moment. The answer is null if the run has no such moment. */
  step(run: Runnable, wanted: Wanted, isWanted: () => boolean): Promise<Moment | null> {
    return this.runs.ask({ ask: "step", run, wanted }, RUN_SECONDS, isWanted) as Promise<Moment | null>;
  }

  /** Runs again, and returns a file of the run, as base64. */
  file(run: Runnable, form: Form): Promise<string> {
    return this.runs.ask({ ask: "file", run, form }, RUN_SECONDS) as Promise<string>;
  }

  /** Ends everything that runs. What was asked of it is refused with this reason. */
  stop(reason: string): void {
    this.runs.stop(reason);
  }
}

/** One worker, which answers one request after the other. The time of a request begins with its turn. */
class Line {
  private worker: Worker | null = null;
  /** What was asked. The worker has the first one. */
  private queue: Waiting[] = [];
  private asked = 0;
  private timer = 0;

  constructor(
    private readonly loaded: Loaded,
    private readonly onBusy: (isBusy: boolean) => void,
  ) {}

  isBusy(): boolean {
    return this.queue.length > 0;
  }

  ask(request: Request, seconds: number, isWanted = () => true): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.queue.push({ number: ++this.asked, request: JSON.stringify(request), seconds, isWanted, resolve, reject });
      if (this.queue.length > 1) return;
      this.onBusy(true);
      this.send();
    });
  }

  /** Ends the worker. Everything that was asked is refused with this reason; the next request starts another worker. */
  stop(reason: string): void {
    const waiting = this.queue;
    this.queue = [];
    this.end();
    if (waiting.length > 0) this.onBusy(false);
    for (const { reject } of waiting) reject(new Refused(reason));
  }

  /** Gives the first request to the worker. */
  private send(): void {
    const [first] = this.queue;
    if (!first) return;
    this.worker ??= this.start();
    this.timer = setTimeout(() => this.fail(`no answer within ${first.seconds} s`), first.seconds * 1000);
    this.worker.postMessage({ number: first.number, request: first.request });
  }

  /** Takes the first request out, and turns to the next one that is still wanted. */
  private next(): Waiting | undefined {
    clearTimeout(this.timer);
    const done = this.queue.shift();
    const isUseless = ({ isWanted }: Waiting) => !isWanted();
    const useless = this.queue.filter(isUseless);
    this.queue = this.queue.filter((waiting) => !isUseless(waiting));
    for (const { reject } of useless) reject(new Refused("not wanted any more"));
    if (this.queue.length === 0) this.onBusy(false);
    this.send();
    return done;
  }

  /** Ends the worker, and refuses the request that it has. */
  private fail(reason: string): void {
    this.end();
    this.next()?.reject(new Refused(reason));
  }

  private end(): void {
    clearTimeout(this.timer);
    this.worker?.terminate();
    this.worker = null;
  }

  private start(): Worker {
    const worker = new Worker(this.loaded.worker);
    worker.postMessage({ module: this.loaded.module });
    worker.onmessage = ({ data }: MessageEvent<{ number: number; reply?: string; died?: string }>) => {
      if (worker !== this.worker || data.number !== this.queue[0]?.number) return;
      if (data.reply === undefined) return this.fail(data.died ?? "the worker does not answer");
      const reply = JSON.parse(data.reply) as { answer?: unknown; error?: string };
      const waiting = this.next();
      if (reply.error === undefined) waiting?.resolve(reply.answer);
      else waiting?.reject(new Refused(reply.error));
    };
    worker.onerror = () => {
      if (worker === this.worker) this.fail("the worker could not be started");
    };
    return worker;
  }
}

/** What a worker is made of. It is fetched once, so a worker can be started anew without a network. */
export interface Loaded {
  module: WebAssembly.Module;
  /** The address of the worker's script. */
  worker: string;
}

/** Fetches the worker's script and the module, and compiles the module. */
export async function load(): Promise<Loaded> {
  const [module, script] = await Promise.all([fetched("jive.wasm"), fetched("worker.js")]);
  // Not every file server knows the type of a module, and streams are compiled only with it.
  const isTyped = module.headers.get("content-type")?.startsWith("application/wasm");
  return {
    module: await (isTyped ? WebAssembly.compileStreaming(module) : WebAssembly.compile(await module.arrayBuffer())),
    worker: URL.createObjectURL(new Blob([await script.text()], { type: "text/javascript" })),
  };
}

async function fetched(name: string): Promise<Response> {
  const response = await fetch(name);
  if (!response.ok) throw new Refused(`the server does not give ${name}: ${response.status}`);
  return response;
}

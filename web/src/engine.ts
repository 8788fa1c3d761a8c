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
  resolve: (answer: unknown) => void;
  reject: (reason: Refused) => void;
  timer: ReturnType<typeof setTimeout>;
}

/** The most seconds that a run takes. */
const RUN_SECONDS = 120;

/** One worker, which answers one request after the other. */
export class Engine {
  private worker: Worker | null = null;
  private readonly waiting = new Map<number, Waiting>();
  private asked = 0;

  constructor(private readonly loaded: Loaded) {}

  gallery(): Promise<Gallery> {
    return this.ask({ ask: "gallery" }, 60) as Promise<Gallery>;
  }

  keys(): Promise<Sections> {
    return this.ask({ ask: "keys" }, 20) as Promise<Sections>;
  }

  judge(name: string, bytes: string, sources: Record<string, string>): Promise<Judged> {
    return this.ask({ ask: "judge", name, class: bytes, sources }, 20) as Promise<Judged>;
  }

  assemble(name: string, text: string): Promise<Judged> {
    return this.ask({ ask: "assemble", name, text }, 20) as Promise<Judged>;
  }

  list(bytes: string): Promise<string> {
    return this.ask({ ask: "list", class: bytes }, 20) as Promise<string>;
  }

  run(run: Runnable): Promise<Ran> {
    return this.ask({ ask: "run", run }, RUN_SECONDS) as Promise<Ran>;
  }

  /** Runs again, and returns the story of a packet with its bytes. */
  follow(run: Runnable, packet: number): Promise<string> {
    return this.ask({ ask: "follow", run, packet }, RUN_SECONDS) as Promise<string>;
  }

  /** Runs again up to a moment. The answer is null if the run has no such moment. */
  step(run: Runnable, wanted: Wanted): Promise<Moment | null> {
    return this.ask({ ask: "step", run, wanted }, RUN_SECONDS) as Promise<Moment | null>;
  }

  /** Runs again, and returns a file of the run, as base64. */
  file(run: Runnable, form: Form): Promise<string> {
    return this.ask({ ask: "file", run, form }, RUN_SECONDS) as Promise<string>;
  }

  /** Ends the worker. Everything that was asked is refused with this reason; the next request starts another worker. */
  stop(reason: string): void {
    this.worker?.terminate();
    this.worker = null;
    const waiting = [...this.waiting.values()];
    this.waiting.clear();
    for (const { reject, timer } of waiting) {
      clearTimeout(timer);
      reject(new Refused(reason));
    }
  }

  private ask(request: Request, seconds: number): Promise<unknown> {
    const worker = (this.worker ??= this.start());
    const number = ++this.asked;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.stop(`no answer within ${seconds} s`), seconds * 1000);
      this.waiting.set(number, { resolve, reject, timer });
      worker.postMessage({ number, request: JSON.stringify(request) });
    });
  }

  private start(): Worker {
    const worker = new Worker(this.loaded.worker);
    worker.postMessage({ module: this.loaded.module });
    worker.onmessage = ({ data }: MessageEvent<{ number: number; reply?: string; died?: string }>) => {
      if (worker !== this.worker) return;
      if (data.died !== undefined) {
        this.stop(data.died);
        return;
      }
      const waiting = this.waiting.get(data.number);
      if (!waiting || data.reply === undefined) return;
      this.waiting.delete(data.number);
      clearTimeout(waiting.timer);
      const reply = JSON.parse(data.reply) as { answer?: unknown; error?: string };
      if (reply.error === undefined) waiting.resolve(reply.answer);
      else waiting.reject(new Refused(reply.error));
    };
    worker.onerror = () => {
      if (worker === this.worker) this.stop("the worker could not be started");
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

// Runs the module `jive.wasm`, so that a long run does not hold up the page. The page compiles the module once, and its
// first message brings it here.

interface Exports {
  memory: WebAssembly.Memory;
  allocate(length: number): number;
  free(place: number, length: number): void;
  answer(place: number, length: number): bigint;
}

/** A module that has taken so many bytes has asked for more than it may have. */
const FULL = 0.6 * 2 ** 30;

let exports: Promise<Exports> | null = null;

function ask({ memory, allocate, free, answer }: Exports, request: string): string {
  const bytes = new TextEncoder().encode(request);
  const place = allocate(bytes.length);
  if (place === 0) throw new Error("the request does not fit the memory of the page");
  new Uint8Array(memory.buffer, place, bytes.length).set(bytes);
  const found = BigInt.asUintN(64, answer(place, bytes.length));
  free(place, bytes.length);
  const at = Number(found & 0xffff_ffffn);
  const length = Number(found >> 32n);
  const reply = new TextDecoder().decode(new Uint8Array(memory.buffer, at, length));
  free(at, length);
  return reply;
}

self.onmessage = async ({ data }: MessageEvent<{ module: WebAssembly.Module } | { number: number; request: string }>) => {
  if ("module" in data) {
    exports = WebAssembly.instantiate(data.module).then((instance) => instance.exports as unknown as Exports);
    return;
  }
  const { number, request } = data;
  try {
    if (!exports) throw new Error("no module was given");
    self.postMessage({ number, reply: ask(await exports, request) });
  } catch (error) {
    // After a trap the module's memory is in no known state, so the page starts another worker.
    const used = (await exports?.catch(() => null))?.memory.buffer.byteLength ?? 0;
    const isFull = error instanceof WebAssembly.RuntimeError && used > FULL;
    const why = isFull ? "it needs more memory than a page has" : error instanceof Error ? error.message : error;
    self.postMessage({ number, died: `the simulator ended: ${why}` });
  }
};

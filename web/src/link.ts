// Links to what is shown: a fragment names the applet and the scenario, and carries them where they were changed. Nothing is
// sent anywhere.

export interface Linked {
  applet?: string;
  scenario?: string;
  /** The time at which the timeline is opened, as in a trace: `20.631us`. */
  at?: string;
  /** Assembly, in place of the applet's. */
  assembly?: string;
  /** The text of the scenario, in place of the shipped one. */
  text?: string;
}

/** The most bytes that a text of a link unpacks to. */
const UNPACKED_MAX = 1 << 20;

/** Returns what a fragment links to. A part that is no part of a link is left out. */
export async function read(fragment: string): Promise<Linked> {
  const given = new URLSearchParams(fragment.replace(/^#/, ""));
  const linked: Linked = {};
  for (const key of ["applet", "scenario", "at"] as const) {
    const value = given.get(key);
    if (value !== null && /^[\w.-]{1,60}$/.test(value)) linked[key] = value;
  }
  for (const key of ["assembly", "text"] as const) {
    const value = given.get(key);
    const text = value === null ? null : await unpacked(value).catch(() => null);
    if (text !== null) linked[key] = text;
  }
  return linked;
}

/** Returns the fragment of a link. */
export async function write(linked: Linked): Promise<string> {
  const parts = new URLSearchParams();
  for (const key of ["applet", "scenario", "at"] as const) {
    if (linked[key] !== undefined) parts.set(key, linked[key]);
  }
  for (const key of ["assembly", "text"] as const) {
    if (linked[key] !== undefined) parts.set(key, await packed(linked[key]));
  }
  return `#${parts}`;
}

async function packed(text: string): Promise<string> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  return base64(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

async function unpacked(value: string): Promise<string> {
  const bytes = fromBase64(value.replaceAll("-", "+").replaceAll("_", "/"));
  const reader = new Blob([bytes.slice()]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  const parts: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value: part } = await reader.read();
    if (done) break;
    length += part.length;
    if (length > UNPACKED_MAX) {
      await reader.cancel();
      throw new Error("the link holds too much");
    }
    parts.push(part);
  }
  return await new Blob(parts.map((part) => part.slice())).text();
}

export function base64(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 0x8000) {
    text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  }
  return btoa(text);
}

export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}

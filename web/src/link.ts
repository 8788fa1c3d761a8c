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

/** The most letters of a link. Browsers and programs that hand links on take no longer ones. */
const LINK_MAX = 1_000_000;

/** Returns what a fragment links to, and the parts that cannot be read. What is no part of a link is left out. */
export async function read(fragment: string): Promise<{ linked: Linked; broken: string[] }> {
  const given = new URLSearchParams(fragment.replace(/^#/, ""));
  const linked: Linked = {};
  const broken: string[] = [];
  for (const key of ["applet", "scenario", "at"] as const) {
    const value = given.get(key);
    if (value === null) continue;
    const isSound = key === "at" ? /^\d+(\.\d+)?(us)?$/ : /^[\w.-]{1,60}$/;
    if (isSound.test(value)) linked[key] = value;
    else broken.push(key);
  }
  for (const key of ["assembly", "text"] as const) {
    const value = given.get(key);
    if (value === null) continue;
    const text = await unpacked(value).catch(() => null);
    if (text !== null) linked[key] = text;
    else broken.push(key);
  }
  return { linked, broken };
}

/** Returns the fragment of a link. An error says why there can be none. */
export async function write(linked: Linked): Promise<string> {
  const parts = new URLSearchParams();
  for (const key of ["applet", "scenario", "at"] as const) {
    if (linked[key] !== undefined) parts.set(key, linked[key]);
  }
  for (const key of ["assembly", "text"] as const) {
    if (linked[key] !== undefined) parts.set(key, await packed(linked[key]));
  }
  const fragment = `#${parts}`;
  if (fragment.length > LINK_MAX) throw new Error("it would be too long");
  return fragment;
}

async function packed(text: string): Promise<string> {
  const content = new Blob([text]);
  if (content.size > UNPACKED_MAX) throw new Error("it would be too long");
  const stream = content.stream().pipeThrough(new CompressionStream("deflate-raw"));
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

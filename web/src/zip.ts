// Reads archives (APPNOTE of ZIP 6.3): the directory at the end, and single files, which the browser unpacks.

/** The most files that an archive may have. */
const ENTRIES_MAX = 20_000;

export interface Entry {
  name: string;
  method: number;
  crc: number;
  packed: number;
  unpacked: number;
  /** Where the file's own header is. */
  at: number;
}

/** Why an archive cannot be read. */
export class ZipError extends Error {}

/** Returns the files of an archive. Folders are left out. */
export function entries(bytes: Uint8Array): Entry[] {
  const view = viewOf(bytes);
  const end = endOf(view);
  const [count, size, start] = [view.getUint16(end + 10, true), view.getUint32(end + 12, true), view.getUint32(end + 16, true)];
  if (count > ENTRIES_MAX) throw new ZipError(`has ${count} files; here an archive has at most ${ENTRIES_MAX}`);
  if (start + size > end) throw new ZipError("has a damaged directory");
  const found: Entry[] = [];
  let at = start;
  for (let number = 0; number < count; number++) {
    if (at + 46 > end || view.getUint32(at, true) !== 0x02014b50) throw new ZipError("has a damaged directory");
    const [name, extra, comment] = [28, 30, 32].map((field) => view.getUint16(at + field, true)) as [number, number, number];
    if (view.getUint16(at + 8, true) & 1) throw new ZipError("is encrypted");
    const entry = {
      name: new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + name)),
      method: view.getUint16(at + 10, true),
      crc: view.getUint32(at + 16, true),
      packed: view.getUint32(at + 20, true),
      unpacked: view.getUint32(at + 24, true),
      at: view.getUint32(at + 42, true),
    };
    if (!entry.name.endsWith("/")) found.push(entry);
    at += 46 + name + extra + comment;
  }
  return found;
}

/** Returns where the end of the directory is. A comment may follow it. */
function endOf(view: DataView): number {
  const last = view.byteLength - 22;
  for (let at = last; at >= 0 && at >= last - 0xffff; at--) {
    if (view.getUint32(at, true) === 0x06054b50 && at + 22 + view.getUint16(at + 20, true) === view.byteLength) return at;
  }
  throw new ZipError("is no archive");
}

/** Unpacks a file that has at most `most` bytes. */
export async function unpack(bytes: Uint8Array, entry: Entry, most: number): Promise<Uint8Array<ArrayBuffer>> {
  const { name, method, crc, packed, unpacked, at } = entry;
  const view = viewOf(bytes);
  if (unpacked > most) throw new ZipError(`has ${name} of ${unpacked} bytes; here it may have ${most}`);
  if (at + 30 > bytes.length || view.getUint32(at, true) !== 0x04034b50) throw new ZipError(`has a damaged file ${name}`);
  const start = at + 30 + view.getUint16(at + 26, true) + view.getUint16(at + 28, true);
  if (start + packed > bytes.length) throw new ZipError(`ends within its file ${name}`);
  const content = bytes.slice(start, start + packed);
  if (method !== 0 && method !== 8) throw new ZipError(`has ${name} in a form that is not read here`);
  const found = method === 0 ? content : await inflate(content, unpacked, name);
  if (found.length !== unpacked || crc32(found) !== crc) throw new ZipError(`has a damaged file ${name}`);
  return found;
}

/** Unpacks DEFLATE, and stops as soon as there is more than the directory says. */
async function inflate(content: Uint8Array<ArrayBuffer>, length: number, name: string): Promise<Uint8Array<ArrayBuffer>> {
  const reader = new Blob([content]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  const found = new Uint8Array(length);
  let at = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return found.subarray(0, at);
      if (at + value.length > length) break;
      found.set(value, at);
      at += value.length;
    }
  } catch {
    throw new ZipError(`has a damaged file ${name}`);
  }
  await reader.cancel();
  throw new ZipError(`has ${name}, which unpacks to more than its directory says`);
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte;
  for (let bit = 0; bit < 8; bit++) rest = rest & 1 ? 0xedb88320 ^ (rest >>> 1) : rest >>> 1;
  return rest;
});

function crc32(bytes: Uint8Array): number {
  let sum = 0xffffffff;
  for (const byte of bytes) sum = (TABLE[(sum ^ byte) & 0xff] ?? 0) ^ (sum >>> 8);
  return (sum ^ 0xffffffff) >>> 0;
}

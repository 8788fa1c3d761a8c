// The bytes of a packet: in hexadecimal, and the headers that they begin with.

/** Returns the bytes that hexadecimal digits stand for. */
export function fromHex(digits: string): Uint8Array {
  return Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

/** Returns the bytes of a packet at a span, as hexadecimal digits: those of the span's own event, or else of the last event
 * before it, or else of the first one. Null if the packet's story has no bytes. */
export function payloadAt(story: string, span: { name: string; begin: number }): string | null {
  let found: string | null = null;
  for (const line of story.split("\n")) {
    const [, time, name, digits] = /^\s*\S+\s+([\d.]+) us .* (\S+)\s+packet=.* payload=([0-9a-f]*)/.exec(line) ?? [];
    if (time === undefined || name === undefined || digits === undefined) continue;
    const apart = Number(time) - span.begin;
    // The story has nanoseconds.
    if (apart > 0.001) return found ?? digits;
    found = digits;
    if (name === span.name && apart > -0.001) return digits;
  }
  return found;
}

/** Returns lines of 16 bytes with their offsets and, where they are printable, their letters. */
export function hexDump(bytes: Uint8Array): string {
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += 16) {
    const part = [...bytes.subarray(at, at + 16)];
    const digits = part.map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
    const letters = part.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : ".")).join("");
    lines.push(`${at.toString(16).padStart(4, "0")}  ${digits.padEnd(47)}  ${letters}`);
  }
  return lines.join("\n");
}

const PROTOCOLS: Record<number, string> = { 1: "ICMP", 6: "TCP", 17: "UDP" };
const FLAGS = ["FIN", "SYN", "RST", "PSH", "ACK", "URG"];

/** Returns a line for each header of an Ethernet frame or an IPv4 packet; none if the bytes are neither. */
export function headers(bytes: Uint8Array): string[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length >= 34 && view.getUint16(12) === 0x0800 && bytes[14] === 0x45) {
    return [`Ethernet  ${mac(bytes, 6)} to ${mac(bytes, 0)}, IPv4`, ...ipv4(bytes.subarray(14))];
  }
  if (bytes.length >= 42 && view.getUint16(12) === 0x0806) {
    const what = view.getUint16(20) === 1 ? "asks for" : "answers";
    return [
      `Ethernet  ${mac(bytes, 6)} to ${mac(bytes, 0)}, ARP`,
      `ARP       ${address(bytes, 28)} ${what} ${address(bytes, 38)}`,
    ];
  }
  // Without Ethernet the length must agree, since a message of any kind may begin with this byte.
  if (bytes.length >= 20 && bytes[0] === 0x45 && view.getUint16(2) === bytes.length) return ipv4(bytes);
  return [];
}

function ipv4(bytes: Uint8Array): string[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const protocol = bytes[9] ?? 0;
  const name = PROTOCOLS[protocol] ?? `protocol ${protocol}`;
  const sum = checksum(bytes.subarray(0, 20)) === 0 ? "right" : "wrong";
  const lines = [
    `IPv4      ${address(bytes, 12)} to ${address(bytes, 16)}, ${name}, ${view.getUint16(2)} bytes, TTL ${bytes[8]}, checksum ${sum}`,
  ];
  const isFirst = (view.getUint16(6) & 0x1fff) === 0;
  if (protocol === 17 && isFirst && bytes.length >= 28) {
    lines.push(`UDP       port ${view.getUint16(20)} to ${view.getUint16(22)}, ${view.getUint16(24)} bytes`);
  } else if (protocol === 6 && isFirst && bytes.length >= 40) {
    const flags = FLAGS.filter((_, bit) => (bytes[33] ?? 0) & (1 << bit)).join(" ");
    lines.push(
      `TCP       port ${view.getUint16(20)} to ${view.getUint16(22)}, sequence ${view.getUint32(24)}, ` +
        `acknowledges ${view.getUint32(28)}, ${flags || "no flags"}, window ${view.getUint16(34)}`,
    );
  } else if (protocol === 1 && isFirst && bytes.length >= 24) {
    lines.push(`ICMP      type ${bytes[20]}, code ${bytes[21]}`);
  }
  return lines;
}

/** Returns the Internet checksum (RFC 1071), which is 0 over a header whose own is right. */
function checksum(bytes: Uint8Array): number {
  let sum = 0;
  for (let at = 0; at < bytes.length; at += 2) sum += ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16);
  return ~sum & 0xffff;
}

function mac(bytes: Uint8Array, at: number): string {
  return [...bytes.subarray(at, at + 6)].map((byte) => byte.toString(16).padStart(2, "0")).join(":");
}

function address(bytes: Uint8Array, at: number): string {
  return [...bytes.subarray(at, at + 4)].join(".");
}

// The module alone, without a browser: requests in, answers out.

import { expect, test } from "@playwright/test";
import { readFileSync } from "node:fs";
import { jive } from "./command";

interface Exports {
  memory: WebAssembly.Memory;
  allocate(length: number): number;
  free(place: number, length: number): void;
  answer(place: number, length: number): bigint;
}

const bytes = readFileSync(`${process.env["DIST"] ?? "dist"}/jive.wasm`);
const module = new WebAssembly.Module(bytes);

function instance(): (request: string) => any {
  const { memory, allocate, free, answer } = new WebAssembly.Instance(module, {}).exports as unknown as Exports;
  return (request) => {
    const bytes = Buffer.from(request);
    const place = allocate(bytes.length);
    new Uint8Array(memory.buffer, place, bytes.length).set(bytes);
    const found = BigInt.asUintN(64, answer(place, bytes.length));
    const [at, length] = [Number(found & 0xffff_ffffn), Number(found >> 32n)];
    const text = Buffer.from(memory.buffer, at, length).toString();
    free(place, bytes.length);
    free(at, length);
    return JSON.parse(text);
  };
}

test("every shipped scenario runs as on a terminal, to the byte", () => {
  const ask = instance();
  const { scenarios } = ask('{"ask":"gallery"}').answer;
  expect(scenarios.length).toBeGreaterThan(30);
  for (const { name, text } of scenarios) {
    const run = { name: `${name}.toml`, scenario: text, files: {} };
    const request = { ask: "run", run };
    const { answer } = ask(JSON.stringify(request));
    const terminal = jive(["run", `${name}.toml`, "--stats", "--perfetto", "timeline.json"], { [`${name}.toml`]: text });
    expect(answer.trace + answer.report, name).toBe(terminal.stdout);
    const timeline = JSON.parse(readFileSync(`${terminal.folder}/timeline.json`, "utf8"));
    expect(answer.timeline, name).toEqual(timeline);
    expect(answer.ended_early, name).toBe(false);
    const file = (form: string) => Buffer.from(ask(JSON.stringify({ ask: "file", run, form })).answer, "base64");
    const files = ["run", `${name}.toml`, "--format", "json", "--pcap", "packets.pcapng"];
    const other = jive(files, { [`${name}.toml`]: text });
    expect(file("json").toString(), name).toBe(other.stdout);
    expect(file("pcapng").equals(readFileSync(`${other.folder}/packets.pcapng`)), name).toBe(true);
  }
});

test("every shipped applet is accepted, and its assembly makes a class that is accepted", () => {
  const ask = instance();
  for (const { name, class: bytes } of ask('{"ask":"gallery"}').answer.applets) {
    const { answer } = ask(JSON.stringify({ ask: "judge", name: `${name}.class`, class: bytes }));
    // Without a profile, an applet for a NIC that receives directly is refused, as on a terminal.
    if (name.startsWith("Direct")) {
      expect(answer.accepted, name).toBe(false);
      continue;
    }
    expect(answer.accepted, answer.text).toBe(true);
    const listing = ask(JSON.stringify({ ask: "list", class: bytes })).answer;
    expect(listing, name).toBe(jive(["disasm", `builtin:${name}`]).stdout);
    const again = ask(JSON.stringify({ ask: "assemble", name: `${name}.jasm`, text: answer.assembly }));
    expect(again.answer?.accepted, again.error ?? again.answer?.text).toBe(true);
  }
});

test("what is no request is refused, and the module answers the next one", () => {
  const ask = instance();
  const scenario = '[[nic]]\nname = "a"\n';
  const refused = [
    "", "null", "[]", "{", '{"ask":"dance"}', '{"ask":"gallery","more":1}', '{"ask":"judge","name":"x","class":"*"}',
    JSON.stringify({ ask: "run", run: { name: "x", scenario: "\u0000", files: {} } }),
    JSON.stringify({ ask: "run", run: { name: "x", scenario: "[".repeat(100_000), files: {} } }),
    JSON.stringify({ ask: "run", run: { name: "x", scenario: scenario + 'profile = "none"', files: { "": "" } } }),
    JSON.stringify({ ask: "assemble", name: "x", text: "iadd\n".repeat(100_000) }),
    "[".repeat(1_000_000),
  ];
  for (const request of refused) expect(ask(request).error, request.slice(0, 80)).toBeTruthy();
  const judged = ask(JSON.stringify({ ask: "judge", name: "x", class: "yv66vg==" }));
  expect(judged.answer.accepted).toBe(false);
  expect(ask('{"ask":"gallery"}').answer.applets.length).toBeGreaterThan(20);
});

test("a packet is followed as on a terminal", () => {
  const ask = instance();
  const scenario = readFileSync("../nic-runtime/scenarios/firewall.toml", "utf8");
  const run = { name: "x.toml", scenario, files: {} };
  const story = ask(JSON.stringify({ ask: "follow", run, packet: 1 })).answer;
  const terminal = jive(["run", "x.toml", "--follow", "1", "--payload", "--quiet"], { "x.toml": scenario }).stdout;
  expect(terminal.startsWith(story)).toBe(true);
  expect(story.split("\n").length).toBeGreaterThan(5);
  expect(ask(JSON.stringify({ ask: "follow", run, packet: 99 })).error).toContain("99");
});

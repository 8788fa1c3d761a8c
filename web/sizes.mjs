// Prints the sizes of the built page, and fails if it is larger than it may be: node sizes.mjs FOLDER.
//
// What counts is what travels from a server that compresses with Brotli, as all browsers take it. The sizes by gzip, which
// some servers have alone, stand beside it.
import { readdirSync, readFileSync } from "node:fs";
import { brotliCompressSync, gzipSync } from "node:zlib";

/** The most bytes of `jive.wasm` and of everything, by Brotli. */
const MOST = { module: 1_000_000, everything: 1_400_000 };

const folder = process.argv[2] ?? "dist";
const row = (...cells) => console.log(cells.map((cell, at) => String(cell)[at ? "padStart" : "padEnd"](12)).join(" "));
const all = { plain: 0, gzip: 0, brotli: 0 };
let module = 0;
row("bytes of", "plain", "gzip", "brotli");
for (const name of readdirSync(folder)) {
  const bytes = readFileSync(`${folder}/${name}`);
  const found = { plain: bytes.length, gzip: gzipSync(bytes, { level: 9 }).length, brotli: brotliCompressSync(bytes).length };
  row(name, found.plain, found.gzip, found.brotli);
  for (const key of Object.keys(all)) all[key] += found[key];
  if (name === "jive.wasm") module = found.brotli;
}
row("everything", all.plain, all.gzip, all.brotli);
if (module === 0) throw new Error(`${folder} has no jive.wasm`);
if (module > MOST.module) throw new Error(`jive.wasm may have ${MOST.module} bytes, compressed, and has ${module}`);
if (all.brotli > MOST.everything) throw new Error(`the page may have ${MOST.everything} bytes, compressed, and has ${all.brotli}`);

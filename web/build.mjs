// Bundles the page into a folder, beside the module that `scripts/web` has put there: node build.mjs FOLDER.
import { build } from "esbuild";
import { cpSync, mkdirSync } from "node:fs";

const folder = process.argv[2] ?? "dist";
mkdirSync(folder, { recursive: true });
await build({
  entryPoints: { page: "src/page.ts", worker: "src/worker.ts" },
  outdir: folder,
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  legalComments: "linked",
  logLevel: "warning",
});
cpSync("static", folder, { recursive: true });

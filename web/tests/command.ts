// The command `jive`, with whose output the page's is compared.

import { spawnSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const JIVE = process.env["JIVE"] ?? "../target/debug/jive";

/** Runs the command in a new folder with these files. */
export function jive(args: string[], files: Record<string, string | Buffer> = {}) {
  const folder = mkdtempSync(join(tmpdir(), "page-"));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  const ran = spawnSync(JIVE, args, { cwd: folder, encoding: "utf8", maxBuffer: 1 << 28 });
  if (ran.error) throw ran.error;
  return { folder, stdout: ran.stdout, stderr: ran.stderr, status: ran.status };
}

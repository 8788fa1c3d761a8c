import { execFileSync } from "node:child_process";
import { defineConfig } from "@playwright/test";

/** A port that is free. The processes that run the tests get it from the first one. */
const FREE = 'const server = require("net").createServer().listen(0, "127.0.0.1", () => { console.log(server.address().port); server.close(); })';
const port = (process.env["PAGE_PORT"] ??= execFileSync(process.execPath, ["-e", FREE], { encoding: "utf8" }).trim());

export default defineConfig({
  testDir: "tests",
  outputDir: "test-results",
  fullyParallel: true,
  workers: 2,
  timeout: 60_000,
  expect: { timeout: 15_000 },
  reporter: [["list"]],
  use: {
    baseURL: `http://127.0.0.1:${port}/`,
    viewport: { width: 1280, height: 900 },
    launchOptions: { executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium", args: ["--no-sandbox"] },
  },
  webServer: { command: `node tests/server.mjs ${port}`, url: `http://127.0.0.1:${port}/`, reuseExistingServer: false },
});

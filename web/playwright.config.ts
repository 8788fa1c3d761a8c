import { defineConfig } from "@playwright/test";

const port = 8123;

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

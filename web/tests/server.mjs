// A file server for the tests: node server.mjs PORT. It serves the folder that DIST names, and nothing is cached.
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";

const TYPES = { html: "text/html", js: "text/javascript", css: "text/css", svg: "image/svg+xml", wasm: "application/wasm" };
const folder = process.env.DIST ?? "dist";

createServer(async (request, response) => {
  const name = new URL(request.url ?? "/", "http://page").pathname.slice(1) || "index.html";
  try {
    if (!/^[\w.-]+$/.test(name)) throw new Error("no file of the page");
    const bytes = await readFile(`${folder}/${name}`);
    const type = TYPES[name.split(".").pop() ?? ""] ?? "application/octet-stream";
    response.writeHead(200, { "content-type": type, "cache-control": "no-store" }).end(bytes);
  } catch {
    response.writeHead(404).end();
  }
}).listen(Number(process.argv[2]), "127.0.0.1");

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readConsole } from "../../../gateway/console/console-page.ts";
import { startServer } from "../server.ts";

const script = "console.log('loaded');".repeat(100);
const document = "<!doctype html><title>Page</title>";
let folder: string;
let server: Awaited<ReturnType<typeof startServer>>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "policy-guard-console-"));
  mkdirSync(join(folder, "assets"));
  writeFileSync(join(folder, "index.html"), document);
  writeFileSync(join(folder, "assets", "app-1.js"), script);
  writeFileSync(join(folder, "assets", "app-1.js.br"), brotliCompressSync(script));
  writeFileSync(join(folder, "assets", "app-1.js.gz"), gzipSync(script));
  const manifest = { segments: ["o", "sign-in"], assets: { "app-1.js": "text/javascript; charset=utf-8" } };
  writeFileSync(join(folder, "console.json"), JSON.stringify(manifest));
  server = await startServer({
    routes: () => undefined,
    pages: {
      openApi: () => "{}",
      documentPath: "/v1/openapi.json",
      docsPath: "/docs",
      hasFrontPage: true,
      console: { build: readConsole(folder), isSecure: true },
    },
  });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

const get = (path: string, headers: Record<string, string> = {}) => fetch(server.url + path, { headers });

test.each(["/", "/sign-in", "/o/0b9c5d0e/policies?q=a", "/o/a%20b"])("%s is the document", async (path) => {
  const answer = await get(path);
  expect([answer.status, await answer.text()]).toEqual([200, document]);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-cache",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "strict-transport-security": "max-age=31536000; includeSubDomains",
  });
});

test("the document's policy allows this origin alone, nothing inline, and no markup from text", async () => {
  const policy = (await get("/")).headers.get("content-security-policy")?.split("; ") ?? [];
  expect(policy).toEqual([
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ]);
});

test.each(["/o.js", "/other", "/assets/gone.js", "/assets/..%2Fconsole.json", "/console.json", "/v1/unknown"])(
  "%s is no page",
  async (path) => {
    const answer = await get(path, { accept: "text/html" });
    expect([answer.status, answer.headers.get("content-type")]).toEqual([404, "application/json; charset=utf-8"]);
  },
);

test("a document that the browser has is not sent again", async () => {
  const etag = (await get("/")).headers.get("etag") ?? "";
  const again = await get("/o/x", { "if-none-match": etag });
  expect([again.status, await again.text()]).toEqual([304, ""]);
});

test.each([
  ["br, gzip", "br"],
  ["gzip", "gzip"],
  ["gzip, br;q=0", "gzip"],
  ["identity", null],
])("a file travels as the build made it for %s, and is kept for ever", async (accepted, encoding) => {
  const answer = await get("/assets/app-1.js", { "accept-encoding": accepted });
  expect([answer.status, answer.headers.get("content-encoding"), await answer.text()]).toEqual([200, encoding, script]);
  expect(answer.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
  expect(answer.headers.get("vary")).toBe("accept-encoding");
});

test("a build that is not whole is refused", () => {
  rmSync(join(folder, "assets", "app-1.js"));
  expect(() => readConsole(folder)).toThrow(/app-1\.js/);
});

// The commands of package.json as people start them: what they say about wrong settings, and that signals to npm reach
// the product.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { compileCacheVariables } from "../../scripts/compile-cache.ts";
import { isRunning, processStamp } from "../../src/kit/process/process-stamp.ts";
import { signedBundle } from "../harness/bundle.ts";
import { policyOf } from "../harness/vector/word-guard.ts";

const root = join(import.meta.dirname, "../..");
const { scripts }: { scripts: Record<string, string> } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const servers = ["start", "control-plane", "worker", "runtime"];

let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "policy-guard-command-"));
  const { json, key } = await signedBundle([policyOf("forbidden")]);
  writeFileSync(join(folder, "bundle.json"), json);
  writeFileSync(join(folder, "key.json"), JSON.stringify(key.publicJwk));
});

afterAll(() => rmSync(folder, { recursive: true }));

/** What a child says until it ends or, for a server, until it is there. */
async function said(child: ChildProcess, until?: string): Promise<string> {
  let text = "";
  const closed = once(child, "close");
  const found = new Promise<void>((resolve) => {
    for (const stream of [child.stdout, child.stderr])
      stream?.on("data", (chunk: Buffer) => {
        text += chunk.toString();
        if (until !== undefined && text.includes(until)) resolve();
      });
  });
  await Promise.race([closed, found]);
  return text;
}

describe("a wrong setting", () => {
  it.each([
    ["src/main.ts", "DATABASE_URL: unset"],
    ["src/worker.ts", "DATABASE_WORKER_URL: unset"],
    ["src/migrate.ts", "DATABASE_MIGRATION_URL: unset"],
    ["scripts/start.ts", "POLICY_GUARD_DATAS: nothing reads it"],
  ])("is a clear line of %s, without a stack", async (script, line) => {
    const { PATH = "" } = process.env;
    const env = { PATH, ...compileCacheVariables, POLICY_GUARD_DATA: join(folder, "none"), POLICY_GUARD_DATAS: "x" };
    const child = spawn(process.execPath, [script, "a@example.com"], { cwd: root, env });
    child.stdin.end();
    const text = await said(child);
    expect(text).toContain(line);
    expect(text).not.toMatch(/^\s+at /m);
    expect(child.exitCode).toBe(1);
  });
});

describe("a signal to npm", () => {
  it("reaches the process itself: no shell stands between", () => {
    for (const name of servers) expect(scripts[name], name).toMatch(/^exec node /);
  });

  it.each(["SIGTERM", "SIGINT"] as const)("ends the runtime in order: %s", async (signal) => {
    const args = ["run", "--silent", "runtime", "--", "--bundle", join(folder, "bundle.json")];
    const npm = spawn("npm", [...args, "--key", join(folder, "key.json"), "--no-auth"], {
      cwd: root,
      env: {
        PATH: process.env.PATH,
        HOME: folder,
        ...compileCacheVariables,
        ...{ RUNTIME_PORT: "0", RUNTIME_MANAGEMENT_PORT: "0", POLICY_GUARD_DATA: join(folder, signal) },
      },
      // A group of its own: what a terminal would send to all of it goes to npm alone.
      detached: true,
    });
    const before = await said(npm, "runtime is listening");
    const pid = Number(/"pid":(\d+)/.exec(before)?.[1]);
    const stamp = processStamp(pid);
    const rest = said(npm);
    npm.kill(signal);
    expect(await rest).toContain('"msg":"shut down"');
    expect(stamp !== undefined && isRunning(stamp)).toBe(false);
  });
});

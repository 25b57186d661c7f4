// docs/how-to/replay-a-day.md as somebody follows it: the demo's day on an installation with a worker, and replays of
// it; what the commands print has to be what the page says.

import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { makeCheckout, patternOf, playCommands, stepsOf } from "../harness/played-page.ts";
import { type Installation, startInstallation } from "../harness/process/installation.ts";
import { startWorkerProcess, type WorkerProcess } from "../harness/process/worker-process.ts";

const root = resolve(import.meta.dirname, "../..");
const steps = stepsOf(readFileSync(join(root, "docs/how-to/replay-a-day.md"), "utf8"));

let installation: Installation;
let worker: WorkerProcess;
let checkout: string;

beforeAll(async () => {
  installation = await startInstallation();
  const { plane, masterKey } = installation;
  worker = await startWorkerProcess({ DATABASE_WORKER_URL: plane.urls.workerUrl, POLICY_GUARD_MASTER_KEY: masterKey });
  const starter = readFileSync(join(root, "examples/policies/starter.yaml"), "utf8");
  await installation.createPolicy(starter);
  await installation.publish();
  const runtime = await installation.startRuntime();
  checkout = join(realpathSync(mkdtempSync(join(tmpdir(), "replay-a-day-"))), "checkout");
  makeCheckout(checkout, ["bin", "examples"], { installation, runtimePort: runtime.port });
});

afterAll(async () => {
  await worker.stop();
  await installation.stop();
  rmSync(dirname(checkout), { recursive: true });
});

// The installation runs already.
const prelude = `npm() { [ "$*" != "run demo" ] || node ${join(root, "scripts/demo.ts")}; }\n`;

it("finds what a lower threshold would have blocked, step by step", { timeout: 600_000 }, async () => {
  const said = await playCommands(
    checkout,
    steps.map(({ commands }) => commands),
    prelude,
  );
  const compared = steps.filter(({ printed }) => printed !== undefined);
  expect(compared.length).toBeGreaterThan(5);
  for (const step of compared) expect(said[steps.indexOf(step)]).toMatch(patternOf(step.printed ?? ""));
});

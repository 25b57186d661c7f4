// docs/how-to/verify-evidence.md as an auditor follows it; what the commands print has to be what the page says.

import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { SigningKeys } from "../../src/domain/bundle/signing-keys.ts";
import { CheckpointSigning } from "../../src/domain/telemetry/checkpoint-signing.ts";
import { systemClock } from "../../src/kit/process/clock.ts";
import { newId } from "../../src/kit/process/id.ts";
import { openDatabase } from "../../src/store/connection/database.ts";
import { makeCheckout, patternOf, playCommands, stepsOf } from "../harness/played-page.ts";
import { startTestControlPlane, type TestControlPlane } from "../harness/process/control-plane.ts";
import { testSealer } from "../harness/sealer.ts";
import { createWorld } from "../harness/vector/world.ts";

const root = resolve(import.meta.dirname, "../..");
const steps = stepsOf(readFileSync(join(root, "docs/how-to/verify-evidence.md"), "utf8"));

let plane: TestControlPlane;
let checkout: string;

beforeAll(async () => {
  plane = await startTestControlPlane();
  const world = await createWorld(plane.database);
  for (let i = 0; i < 300; i++) {
    const audit = { action: "policy.update", requestId: newId(), address: "192.0.2.7" };
    await plane.database.transaction({ ...world.caller, audit }, async (tx) =>
      tx.changed({ resource: "policy/1", before: null, after: { i } }),
    );
  }
  // What a worker does each minute.
  const worker = await openDatabase({ url: plane.urls.workerUrl, poolSize: 1 });
  await new CheckpointSigning(worker, new SigningKeys(worker, testSealer), systemClock).sign(world.orgId);
  await worker.close();
  checkout = join(realpathSync(mkdtempSync(join(tmpdir(), "verify-evidence-"))), "checkout");
  const installation = { world, url: plane.baseUrl, token: "" };
  makeCheckout(checkout, ["bin"], { installation, runtimePort: 1 });
});

afterAll(async () => {
  await plane.stop();
  rmSync(dirname(checkout), { recursive: true });
});

it("goes from a ZIP to verified, step by step", { timeout: 600_000 }, async () => {
  const said = await playCommands(
    checkout,
    steps.map(({ commands }) => commands),
    "",
  );
  const compared = steps.filter(({ printed }) => printed !== undefined);
  expect(compared.length).toBeGreaterThan(5);
  for (const step of compared) expect(said[steps.indexOf(step)]).toMatch(patternOf(step.printed ?? ""));
});

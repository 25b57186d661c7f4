// The story of a bill, played on a control plane, a worker and a runtime as processes of their own, and paid in a real
// browser where one is installed.

import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { reportSample } from "../../scripts/assurance/sample.ts";
import { billingStory } from "../../scripts/demo/billing-story.ts";
import type { Facts } from "../../scripts/demo/facts.ts";
import { callingPayer } from "../../scripts/demo/payer.ts";
import { Stage } from "../../scripts/demo/stage.ts";
import { freePort } from "../../scripts/postgres/port.ts";
import { addUsage } from "../../src/store/billing/usage.ts";
import { type Database, openDatabase } from "../../src/store/connection/database.ts";
import { browserPath, startBrowser } from "../harness/browser/browser.ts";
import { openNamedPage } from "../harness/browser/named-page.ts";
import { browsingPayer } from "../harness/browser/payer.ts";
import { createTestDatabase, type TestDatabase } from "../harness/database.ts";
import { eventually } from "../harness/eventually.ts";
import { type NodeProcess, startNodeProcess } from "../harness/process/node-process.ts";
import { createWorld } from "../harness/vector/world.ts";

/** Evaluations that the story has left to use up. */
const left = 300;
const folder = mkdtempSync(join(tmpdir(), "policy-guard-bill-"));
const processes: NodeProcess[] = [];
let urls: TestDatabase;
let database: Database;
let browser: Browser | undefined;
let facts: Facts;

beforeAll(async () => {
  urls = await createTestDatabase();
  database = await openDatabase({ url: urls.applicationUrl, poolSize: 2 });
  const world = await createWorld(database);
  await database.systemTransaction(world.orgId, (tx) =>
    addUsage(tx, new Map([[`${tx.now.toISOString().slice(0, 7)}-01`, 10_000 - left]])),
  );
  const [port, runtimePort] = [await freePort(), await freePort()];
  facts = {
    base_url: `http://127.0.0.1:${port}`,
    runtime_url: `http://127.0.0.1:${runtimePort}`,
    org_id: world.orgId,
    project_id: world.projectId,
    environment: world.environment,
    admin_token: world.tokens.admin ?? "",
    ci_token: world.tokens.ci ?? "",
    runtime_token: world.tokens.runtime ?? "",
  };
  const shared = { HOST: "127.0.0.1", POLICY_GUARD_MASTER_KEY: randomBytes(32).toString("base64") };
  processes.push(
    await startNodeProcess({
      script: "src/main.ts",
      env: { ...shared, PORT: String(port), MANAGEMENT_PORT: "0", DATABASE_URL: urls.applicationUrl },
      readyMessage: "control plane is listening",
    }),
  );
  const bundles = `${facts.base_url}/v1/orgs/${world.orgId}/projects/${world.projectId}/envs/${world.environment}/bundles`;
  const published = await fetch(`${bundles}/publish`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${facts.admin_token}` },
    body: JSON.stringify({ activate: true }),
  });
  expect(published.status).toBe(201);
  const [worker, runtime] = await Promise.all([
    startNodeProcess({
      script: "src/worker.ts",
      env: { ...shared, WORKER_MANAGEMENT_PORT: "0", DATABASE_WORKER_URL: urls.workerUrl },
      readyMessage: "worker is running",
    }),
    startNodeProcess({
      script: "runtime/main.ts",
      env: {
        ...shared,
        RUNTIME_PORT: String(runtimePort),
        RUNTIME_MANAGEMENT_PORT: "0",
        POLICY_GUARD_DATA: folder,
        POLICY_GUARD_URL: facts.base_url,
        POLICY_GUARD_TOKEN: facts.runtime_token,
      },
      readyMessage: "runtime is listening",
    }),
  ]);
  processes.push(worker, runtime);
  browser = browserPath === undefined ? undefined : await startBrowser();
});

afterAll(async () => {
  await browser?.close();
  for (const each of processes.reverse()) await each.stop();
  await database.close();
  await urls.drop();
  rmSync(folder, { recursive: true, force: true });
});

it("an exhausted trial goes on when a plan is bought, stops when it is not paid, and goes on when it is", async () => {
  const told: string[] = [];
  const page = browser && (await openNamedPage(browser));
  const payer = page === undefined ? callingPayer : browsingPayer(page);
  const measured = await billingStory(facts, new Stage((line) => told.push(line)), payer).catch((error: unknown) => {
    throw new Error(`${told.join("\n")}\n${error}`);
  });
  const { afterCheckoutMs, afterBlockMs } = measured;
  const figures = { after_checkout_ms: afterCheckoutMs, after_block_ms: afterBlockMs };
  reportSample({ n: 1, failures: 0, figures });
  expect(page?.troubles ?? []).toEqual([]);
  // What was used up was used, and counted once.
  await eventually(async () => {
    const response = await fetch(`${facts.base_url}/v1/billing/summary`, {
      headers: { authorization: `Bearer ${facts.admin_token}` },
    });
    const summary = await response.json();
    expect(summary.evaluations).toBeGreaterThanOrEqual(10_000);
    expect(summary.overage_evaluations).toBe(0);
  });
});

// Runtimes as witnesses of the log of evidence: they keep what they saw over restarts, and find out when the control
// plane goes on from a backup.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { SigningKeys } from "../../src/domain/bundle/signing-keys.ts";
import { AfterRestore } from "../../src/domain/operator/after-restore.ts";
import { CheckpointSigning } from "../../src/domain/telemetry/checkpoint-signing.ts";
import { systemClock } from "../../src/kit/process/clock.ts";
import { createSealer, parseMasterKeys } from "../../src/platform/seal.ts";
import { type Database, openDatabase } from "../../src/store/connection/database.ts";
import { RuntimeStream } from "../api/fleet/runtime.ts";
import { eventually } from "../harness/eventually.ts";
import { type Installation, startInstallation } from "../harness/process/installation.ts";
import { backUpLog } from "../harness/restored-log.ts";

let installation: Installation;
let worker: Database;
let owner: pg.Client;
let projects = 0;

beforeAll(async () => {
  installation = await startInstallation();
  const { plane, world } = installation;
  worker = await openDatabase({ url: plane.urls.workerUrl, poolSize: 2 });
  owner = new pg.Client({ connectionString: plane.urls.migrationUrl });
  await owner.connect();
  await owner.query("select set_config('app.org_id', $1, false)", [world.orgId]);
});

afterAll(async () => {
  await Promise.all([worker.close(), owner.end()]);
  await installation.stop();
});

/** Some changes, and the checkpoint that a worker signs over them. */
async function change(times: number): Promise<void> {
  for (let i = 0; i < times; i++) await installation.call("POST", "/projects", { name: `project ${projects++}` });
  const sealer = createSealer({ masterKeys: parseMasterKeys(installation.masterKey) });
  const keys = new SigningKeys(worker, sealer);
  await new CheckpointSigning(worker, keys, systemClock).sign(installation.world.orgId);
}

const newestSize = async () => {
  const { checkpoints } = await installation.call("GET", "/evidence/checkpoints?limit=1");
  return checkpoints[0].tree_size;
};
const forks = () => installation.call("GET", "/evidence?action=evidence.fork");

interface Kept {
  readonly size: number;
  readonly note: string;
  readonly contradictedBy?: string;
  readonly former?: readonly object[];
}

const runtimesPath = () => `/projects/${installation.world.projectId}/envs/${installation.world.environment}/runtimes`;

/** What a runtime keeps in its folder. */
function keptIn(folder: string): Kept {
  const file = join(folder, "evidence-checkpoint.json");
  if (!existsSync(file)) return { size: 0, note: "" };
  const kept = JSON.parse(readFileSync(file, "utf8"));
  return { ...kept, size: Number(kept.note.split("\n")[1]) };
}

it("a runtime keeps each checkpoint that continues the last, and finds the fork after a restored backup", async () => {
  await change(3);
  const folder = installation.newFolder();
  let runtime = await installation.startRuntime({ folder });
  await eventually(async () => expect(keptIn(folder).size).toBe(await newestSize()));
  const restore = await backUpLog(owner);
  await change(5);
  await eventually(async () => expect(keptIn(folder).size).toBe(await newestSize()));
  expect(await runtime.metric("evidence_fork")).toBe(0);
  const before = keptIn(folder);
  // Over a restart, and the control plane's too.
  await runtime.stop();
  await installation.stopControlPlane();
  await restore();
  await installation.startControlPlane();
  await change(9);
  runtime = await installation.startRuntime({ folder });
  await eventually(async () => expect((await forks()).total).toBe(1));
  const [entry] = (await forks()).evidence;
  expect(entry).toMatchObject({ credential: "policy-guard", after: { kept: { tree_size: before.size } } });
  expect(await runtime.metric("evidence_fork")).toBe(1);
  expect(keptIn(folder)).toMatchObject({ note: before.note, contradictedBy: expect.stringContaining("policy-guard/") });
  // It is said once, however often the runtime says it.
  await runtime.stop();
  runtime = await installation.startRuntime({ folder });
  await eventually(async () => expect(await runtime.metric("reporting_stream_connected")).toBe(1));
  await change(1);
  expect((await forks()).total).toBe(1);
  const listed = async () => (await installation.call("GET", runtimesPath())).runtimes[0];
  await eventually(async () =>
    expect(await listed()).toMatchObject({ witnessed_size: before.size, evidence_forked_at: expect.any(String) }),
  );
  // Once the operator has said that it was a restore, the log begins an epoch, and the witness follows.
  const database = await openDatabase({ url: installation.plane.urls.applicationUrl, poolSize: 1 });
  const sealer = createSealer({ masterKeys: parseMasterKeys(installation.masterKey) });
  const keys = new SigningKeys(database, sealer);
  const parts = { database, keys, actor: "operator:ada", isDryRun: false, restoreId: "restore-1" };
  const restored = await new AfterRestore(parts).restore(installation.world.orgId, {
    ...{ reason: "the backup of Monday", revokeKeys: [], rotate: [] },
  });
  await database.close();
  expect(restored).toMatchObject({
    epoch: { epoch: expect.any(Number) },
    runtimes: expect.arrayContaining([expect.objectContaining({ witnessedSize: before.size, isForked: true })]),
  });
  await change(1);
  await eventually(async () => expect(await runtime.metric("evidence_fork")).toBe(0));
  await eventually(async () => expect(keptIn(folder).size).toBe(await newestSize()));
  expect(keptIn(folder).note).toMatch(/^policy-guard\/[^/]+\/[^/]+\/\d{8,}\n/);
  expect(keptIn(folder).former).toEqual([{ note: before.note, contradictedBy: expect.any(String) }]);
  await eventually(async () => {
    const { evidence_forked_at, witnessed_epoch } = await listed();
    expect([evidence_forked_at, witnessed_epoch]).toEqual([null, restored?.epoch?.epoch]);
  });
  await change(2);
  await eventually(async () => expect(keptIn(folder).size).toBe(await newestSize()));
  const { epochs } = await installation.call("GET", "/evidence/checkpoints?limit=1");
  expect(epochs).toMatchObject([
    { epoch: restored?.epoch?.epoch, tree_size: restored?.epoch?.size, reason: "the backup of Monday" },
  ]);
  await runtime.stop();
});

it("a connected runtime follows a rotation of the log's key, and the end of the former one", async () => {
  await change(2);
  const folder = installation.newFolder();
  const runtime = await installation.startRuntime({ folder });
  const signatures = async () => {
    await change(1);
    await eventually(async () => expect(keptIn(folder).size).toBe(await newestSize()));
    expect(await runtime.metric("evidence_fork")).toBe(0);
    return keptIn(folder).note.match(/^— /gm)?.length;
  };
  expect(await signatures()).toBe(1);
  const {
    signing_keys: [former],
  } = await installation.call("GET", "/signing-keys?use=log");
  await installation.call("POST", "/signing-keys/rotate", { use: "log" });
  expect(await signatures()).toBe(2);
  await installation.call("POST", `/signing-keys/${former.kid}/revoke`, {});
  expect(await signatures()).toBe(1);
  await runtime.stop();
});

it("a witness that reports what it cannot prove is refused", async () => {
  await change(1);
  const { checkpoints } = await installation.call("GET", "/evidence/checkpoints");
  const [newest, older] = checkpoints;
  const stream = new RuntimeStream(installation.url, installation.token).hello();
  const before = (await forks()).total;
  const forged = newest.note.replace(/^\d+$/m, "7");
  for (const [kept, received] of [
    ["nonsense", newest.note],
    [forged, newest.note],
    // Both are signed, and the log continues both.
    [older.note, newest.note],
  ])
    stream.send({ case: "status", value: { witnessedSize: 1, evidenceFork: { kept, received } } });
  // A status is answered after what it reports was handled.
  await eventually(() => expect(stream.news.filter((news) => news.case === "quota").length).toBeGreaterThan(0));
  stream.send({ case: "status", value: { witnessedSize: 0 } });
  await eventually(() => expect(stream.news.some((news) => news.case === "checkpoint")).toBe(true));
  expect((await forks()).total).toBe(before);
  stream.abort();
  await stream.ended;
});

// What the control plane believes of runtimes that report a fork of the log: what proves itself, once.

import { randomUUID } from "node:crypto";
import pg from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { SigningKeys } from "../../../../src/domain/bundle/signing-keys.ts";
import { CheckpointSigning } from "../../../../src/domain/telemetry/checkpoint-signing.ts";
import { Evidence } from "../../../../src/domain/telemetry/evidence.ts";
import { EvidenceLog } from "../../../../src/domain/telemetry/evidence-log.ts";
import { Witnesses } from "../../../../src/domain/telemetry/witness.ts";
import { createLog } from "../../../../src/kit/observability/log.ts";
import { systemClock } from "../../../../src/kit/process/clock.ts";
import { type Database, openDatabase } from "../../../../src/store/connection/database.ts";
import { createTestDatabase, type TestDatabase } from "../../../harness/database.ts";
import { backUpLog } from "../../../harness/restored-log.ts";
import { testSealer } from "../../../harness/sealer.ts";
import { createWorld, type World } from "../../../harness/vector/world.ts";

let urls: TestDatabase;
let database: Database;
let worker: Database;
let owner: pg.Client;

beforeAll(async () => {
  urls = await createTestDatabase();
  database = await openDatabase({ url: urls.applicationUrl, poolSize: 2 });
  worker = await openDatabase({ url: urls.workerUrl, poolSize: 2 });
  owner = new pg.Client({ connectionString: urls.migrationUrl });
  await owner.connect();
});

afterAll(async () => {
  await Promise.all([database.close(), worker.close(), owner.end()]);
  await urls.drop();
});

/** Some changes, and the note of the checkpoint over them. */
async function signed({ caller, orgId }: World, times: number): Promise<string> {
  for (let i = 0; i < times; i++) {
    const audit = { action: "thing.change", requestId: randomUUID(), address: "" };
    await database.transaction({ ...caller, audit }, async (tx) =>
      tx.changed({ resource: "thing/1", before: null, after: { nonce: randomUUID() } }),
    );
  }
  await new CheckpointSigning(worker, new SigningKeys(worker, testSealer), systemClock).sign(orgId);
  return (await new EvidenceLog(database, new SigningKeys(database, testSealer)).checkpoint(caller)).note;
}

it("enters a fork that a runtime proves once, whatever contradicts it, and nothing that proves none", async () => {
  const [world, other] = [await createWorld(database), await createWorld(database)];
  await owner.query("select set_config('app.org_id', $1, false)", [world.orgId]);
  const common = await signed(world, 3);
  const restore = await backUpLog(owner);
  const [first, second] = [await signed(world, 4), await signed(world, 4)];
  await restore();
  const received = [await signed(world, 5), await signed(world, 5), await signed(world, 5)] as const;
  const foreign = await signed(other, 40);
  const keys = new SigningKeys(database, testSealer);
  const log = createLog({ name: "test", level: "silent" });
  const witnesses = new Witnesses({ database: worker, keys, log });
  const report = async (instanceId: string, kept: string, contradictedBy: string) => {
    const state = { size: 1, root: new Uint8Array(32), epoch: 1, fork: { kept, received: contradictedBy } };
    expect(await witnesses.answer({ orgId: world.orgId, instanceId }, state)).toBeUndefined();
    const query = {
      action: "evidence.fork",
      actor: undefined,
      resource: undefined,
      since: undefined,
      until: undefined,
    };
    return (await new Evidence(database).list(world.caller, query, { limit: 1, offset: 0 }))[1];
  };
  const [one, another] = [randomUUID(), randomUUID()];
  const unsigned = first.replace(/ (\S{20})\S+\n$/, (_, start) => ` ${start}${"A".repeat(72)}\n`);
  for (const [kept, contradictedBy] of [
    ["", ""],
    ["nonsense", received[0]],
    [unsigned, received[0]],
    [first, "nonsense"],
    [foreign, received[0]],
    [first, foreign],
    // What this log continues is no fork, whatever is said to contradict it.
    [common, received[0]],
    [received[0], received[1]],
    [received[0], first],
  ] as const)
    expect(await report(one, kept, contradictedBy)).toBe(0);
  for (const each of received) expect(await report(one, first, each)).toBe(1);
  expect(await report(one, second, received[0])).toBe(2);
  expect(await report(one, first, received[1])).toBe(2);
  expect(await report(another, first, received[0])).toBe(3);
});

import { randomUUID } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { BundleReferenceSchema } from "../../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { Ingest } from "../../../../src/domain/fleet/ingest.ts";
import { StatFold } from "../../../../src/domain/telemetry/stat-fold.ts";
import { prepareSearch } from "../../../../src/domain/telemetry/version-window.ts";
import { type Database, openDatabase } from "../../../../src/store/connection/database.ts";
import type { TraceFilter } from "../../../../src/store/telemetry/trace-query.ts";
import { createTestDatabase, type TestDatabase } from "../../../harness/database.ts";
import { testSealer } from "../../../harness/sealer.ts";
import { createWorld, type World } from "../../../harness/vector/world.ts";
import { batchOf, evaluation } from "./evaluation.ts";

const hourMs = 3_600_000;

describe("a search by the version of a bundle", () => {
  let urls: TestDatabase;
  let database: Database;
  let worker: Database;
  let world: World;

  beforeAll(async () => {
    urls = await createTestDatabase();
    database = await openDatabase({ url: urls.applicationUrl, poolSize: 4 });
    worker = await openDatabase({ url: urls.workerUrl, poolSize: 2 });
  });

  beforeEach(async () => {
    world = await createWorld(database);
  });

  afterAll(async () => {
    await Promise.all([database.close(), worker.close()]);
    await urls.drop();
  });

  const store = async (version: number, hours: readonly number[], environment = "dev") => {
    const bundle = create(BundleReferenceSchema, { version });
    const records = hours.map((hour) => evaluation({ bundle }, new Date(Date.now() - hour * hourMs)));
    await new Ingest(database, { sealer: testSealer, onResult: () => undefined }).ingest(
      { orgId: world.orgId, projectId: world.projectId, environment, instanceId: randomUUID() },
      batchOf(records),
    );
    return records.map(({ evaluationId }) => evaluationId);
  };
  const search = (filter: TraceFilter, maxRows: number) =>
    database.read(world.orgId, async (tx) => {
      const prepared = await prepareSearch(tx, filter);
      const page = await prepared.page(tx, { limit: 10, offset: 0, after: undefined, maxRows });
      return { ids: page.positions.map(({ id }) => id), stopped: page.examinedUntil !== undefined };
    });
  const newest = Array.from({ length: 60 }, (_, i) => i % 3);

  it("looks at the hours in which it decided something, whether they are folded yet or not", async () => {
    // Version 1 at two times with an hour of version 2 between them, and one trace of version 2 within its hours.
    const old = await store(1, [100, 300]);
    await store(2, [...newest, 200, 300]);
    for (const isFolded of [false, true]) {
      if (isFolded) await new StatFold(worker).fold(world.orgId);
      expect(await search({ bundleVersion: 1 }, 5)).toEqual({ ids: old, stopped: false });
      expect(await search({ bundleVersion: 9 }, 5)).toEqual({ ids: [], stopped: false });
    }
    const since = new Date(Date.now() - 250 * hourMs);
    expect(await search({ bundleVersion: 1, since }, 5)).toEqual({ ids: old.slice(0, 1), stopped: false });
    const inProd = await store(1, [50], "prod");
    expect(await search({ bundleVersion: 1, projectId: world.projectId, environment: "prod" }, 5)).toEqual({
      ids: inProd,
      stopped: false,
    });
  });

  it("goes by days where hours are no longer counted, and joins times when there are too many", async () => {
    const old = await store(1, [34.5 * 24]);
    await store(2, newest);
    await new StatFold(worker).fold(world.orgId);
    expect(await search({ bundleVersion: 1 }, 5)).toEqual({ ids: old, stopped: false });
    const often = await store(
      3,
      Array.from({ length: 100 }, (_, i) => 5 + 2 * i),
    );
    const { ids } = await search({ bundleVersion: 3 }, 1_000);
    expect(ids).toEqual(often.slice(0, 10));
  });

  it("looks everywhere as long as traces of a former version are in no count", async () => {
    const old = await store(1, [100]);
    await store(2, newest);
    await database.systemTransaction(world.orgId, async (tx) => {
      await tx.sql("delete from stat_delta");
      await tx.sql("update trace set form = 0");
    });
    expect(await search({ bundleVersion: 1 }, 5)).toEqual({ ids: [], stopped: true });
    expect(await search({ bundleVersion: 1 }, 1_000)).toEqual({ ids: old, stopped: false });
  });
});

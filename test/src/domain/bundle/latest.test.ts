import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Bundles } from "../../../../src/domain/bundle/bundle.ts";
import { LatestBundles, type RuntimeScope } from "../../../../src/domain/bundle/latest.ts";
import { SigningKeys } from "../../../../src/domain/bundle/signing-keys.ts";
import { systemClock } from "../../../../src/kit/process/clock.ts";
import { createSealer, parseMasterKeys } from "../../../../src/platform/seal.ts";
import { type Database, openDatabase } from "../../../../src/store/connection/database.ts";
import { bundlesOf } from "../../../harness/bundles.ts";
import { createTestDatabase, type TestDatabase } from "../../../harness/database.ts";
import { createWorld, type World } from "../../../harness/vector/world.ts";

const longMs = 100_000;

describe("LatestBundles.get()", () => {
  let urls: TestDatabase;
  let database: Database;
  let bundles: Bundles;
  let world: World;
  let scope: RuntimeScope;
  let latest: LatestBundles;

  beforeAll(async () => {
    urls = await createTestDatabase();
    database = await openDatabase({ url: urls.applicationUrl, poolSize: 4, clock: systemClock });
    const sealer = createSealer({ masterKeys: parseMasterKeys(randomBytes(32).toString("base64")) });
    bundles = bundlesOf(database, new SigningKeys(database, sealer));
  });

  beforeEach(async () => {
    world = await createWorld(database);
    scope = { orgId: world.orgId, projectId: world.projectId, environment: world.environment };
    latest = new LatestBundles(database);
  });

  afterAll(async () => {
    await database.close();
    await urls.drop();
  });

  const publish = () => bundles.publish(world.caller, scope, { activate: true });
  const ask = (known: string | undefined, waitMs: number, signal = new AbortController().signal) =>
    latest.get(scope, { known, waitMs, signal });
  /** What it answers, and after how long. */
  const timed = async <T>(answer: Promise<T>) => {
    const start = performance.now();
    const result = await answer.then(
      (value) => ({ value, error: undefined }),
      (error: Error) => ({ value: undefined, error }),
    );
    return { ...result, tookMs: performance.now() - start };
  };

  it("answers at once when the caller has another one, none, or does not wait", async () => {
    await publish();
    const { etag } = await ask(undefined, longMs);
    expect((await ask('"sha256-0-1"', longMs)).etag).toBe(etag);
    expect((await ask(etag, 0)).etag).toBe(etag);
  });

  it("answers with the same one when nothing changed in the time given", async () => {
    await publish();
    const { etag } = await ask(undefined, 0);
    const { value, tookMs } = await timed(ask(etag, 300));
    expect(value?.etag).toBe(etag);
    expect(tookMs).toBeGreaterThan(290);
    expect(tookMs).toBeLessThan(longMs / 4);
  });

  it("answers every caller with the next one as soon as it is told of a change, and with it only", async () => {
    await publish();
    const { etag } = await ask(undefined, 0);
    const answers = Promise.all([1, 2, 3].map(() => timed(ask(etag, longMs))));
    // Told of something that changed nothing for them.
    await sleep(50);
    latest.invalidate(scope);
    latest.invalidate({ ...scope, environment: "another" });
    await sleep(50);
    await publish();
    latest.invalidate(scope);
    for (const { value, tookMs } of await answers) {
      expect(value?.etag).toMatch(/-2"$/);
      expect(tookMs).toBeLessThan(longMs / 4);
    }
  });

  it("ends with the same one when the signal is aborted, as at shutdown", async () => {
    await publish();
    const { etag } = await ask(undefined, 0);
    const shutdown = new AbortController();
    const answer = timed(ask(etag, longMs, shutdown.signal));
    await sleep(100);
    shutdown.abort();
    const { value, tookMs } = await answer;
    expect(value?.etag).toBe(etag);
    expect(tookMs).toBeLessThan(longMs / 4);
    expect((await timed(ask(etag, longMs, shutdown.signal))).tookMs).toBeLessThan(longMs / 4);
  });

  it("waits for the first one where none is active, and is a 404 when none comes", async () => {
    const { error, tookMs } = await timed(ask(undefined, 200));
    expect(error?.message).toContain("active bundle");
    expect(tookMs).toBeGreaterThan(190);
    const answer = timed(ask(undefined, longMs));
    await sleep(50);
    await publish();
    latest.invalidate();
    expect((await answer).value?.etag).toMatch(/-1"$/);
  });

  it("reads what is in force for all who ask, and the bundle once, while nothing tells of changes", async () => {
    await publish();
    latest.follow({ isListening: false });
    const one = await ask(undefined, 0);
    expect(await ask(undefined, 0)).toBe(one);
    await publish();
    const answers = await Promise.all([ask(one.etag, longMs), ask(undefined, 0), ask(undefined, 0)]);
    for (const answer of answers) expect(answer.etag).toMatch(/-2"$/);
    expect(new Set(answers).size).toBe(1);
  });

  it("reads once for all who ask until it is told of a change", async () => {
    await publish();
    const [one, two] = await Promise.all([ask(undefined, 0), ask(undefined, 0)]);
    expect(two).toBe(one);
    expect(await ask(undefined, 0)).toBe(one);
    latest.invalidate(scope);
    const again = await ask(undefined, 0);
    expect(again).not.toBe(one);
    expect(again.etag).toBe(one.etag);
  });
});

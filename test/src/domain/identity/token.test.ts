import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Fleet } from "../../../../src/domain/fleet/fleet.ts";
import { Tokens } from "../../../../src/domain/identity/token.ts";
import { tokenDigest } from "../../../../src/kit/crypto/token.ts";
import { createLog } from "../../../../src/kit/observability/log.ts";
import { type Database, openDatabase } from "../../../../src/store/connection/database.ts";
import { createTestDatabase, type TestDatabase } from "../../../harness/database.ts";
import { createMovedClock } from "../../../harness/moved-clock.ts";
import { createWorld, type World } from "../../../harness/vector/world.ts";

const clock = createMovedClock();
let urls: TestDatabase;
let database: Database;
let tokens: Tokens;
let world: World;

beforeAll(async () => {
  urls = await createTestDatabase();
  database = await openDatabase({ url: urls.applicationUrl, poolSize: 8, clock });
  tokens = new Tokens(database);
});

beforeEach(async () => {
  world = await createWorld(database);
});

afterAll(async () => {
  await database.close();
  await urls.drop();
});

const works = async (value: string) => (await tokens.authenticate(value, clock.now())) !== undefined;
const runtimeId = async () =>
  (await tokens.list(world.caller, { limit: 50, offset: 0 }))[0].find(({ kind }) => kind === "runtime")?.id ?? "";
const digests = async () => (await tokens.listLive(world.orgId)).map(({ digest }) => digest.toString("hex"));

describe("a rotated token", () => {
  it("has both values for the overlap, for callers and for runtimes, and then the new one only", async () => {
    const old = world.tokens.runtime ?? "";
    const { value, previousExpiresAt } = await tokens.rotate(world.caller, await runtimeId(), { overlapSeconds: 60 });
    expect(previousExpiresAt).toEqual(new Date(clock.now().getTime() + 60_000));
    expect([await works(old), await works(value)]).toEqual([true, true]);
    const both = [old, value].map((text) => tokenDigest(text).toString("hex"));
    expect(await digests()).toEqual(expect.arrayContaining(both));
    const live = await tokens.listLive(world.orgId);
    const previous = live.find(({ digest }) => digest.equals(tokenDigest(old)));
    expect(previous).toMatchObject({ kind: "runtime", environment: "dev", expiresAt: previousExpiresAt });
    clock.pass(60_000);
    expect([await works(old), await works(value)]).toEqual([false, true]);
    expect(await digests()).not.toContain(both[0]);
  });

  it("keeps its id, project and environment, so that its place stays taken", async () => {
    const id = await runtimeId();
    const { value } = await tokens.rotate(world.caller, id, {});
    expect(await tokens.authenticate(value, clock.now())).toMatchObject({
      id,
      projectId: world.projectId,
      environment: "dev",
    });
    const second = tokens.issue(world.caller, "runtime", { name: "b", projectId: world.projectId, environment: "dev" });
    await expect(second).rejects.toThrow("a runtime token exists");
  });

  it("has lost its old value at once without an overlap, also on the streams that came with it", async () => {
    const old = world.tokens.runtime ?? "";
    const fleet = new Fleet({ database, log: createLog({ name: "test", level: "silent" }) });
    const heard: string[] = [];
    const member = (value: string) => ({
      ...{ orgId: world.orgId, projectId: world.projectId, environment: "dev", stop: () => undefined },
      ...{ tokenDigest: tokenDigest(value).toString("hex"), bundleChanged: () => undefined },
      tokensChanged: () => void heard.push(value === old ? "old lives" : "new lives"),
      quotaChanged: () => undefined,
      revoked: () => void heard.push(value === old ? "old ends" : "new ends"),
    });
    fleet.join(member(old));
    await expect.poll(() => heard).toEqual(["old lives"]);
    const { value } = await tokens.rotate(world.caller, await runtimeId(), { overlapSeconds: 0 });
    expect([await works(old), await works(value)]).toEqual([false, true]);
    fleet.join(member(value));
    await expect.poll(() => heard.slice(1).sort()).toEqual(["new lives", "old ends"]);
  });

  it("has one old value: another rotation ends the one before", async () => {
    const id = await runtimeId();
    const first = await tokens.rotate(world.caller, id, {});
    const second = await tokens.rotate(world.caller, id, {});
    expect(await works(world.tokens.runtime ?? "")).toBe(false);
    expect([await works(first.value), await works(second.value)]).toEqual([true, true]);
  });

  it("has its newest two values after rotations that race", async () => {
    const id = await runtimeId();
    const rotated = await Promise.all(Array.from({ length: 8 }, () => tokens.rotate(world.caller, id, {})));
    const live = await Promise.all(rotated.map(({ value }) => works(value)));
    expect(live.filter((isLive) => isLive)).toHaveLength(2);
  });

  it("has neither value when it is revoked", async () => {
    const id = await runtimeId();
    const { value } = await tokens.rotate(world.caller, id, {});
    await tokens.revoke(world.caller, id);
    expect([await works(world.tokens.runtime ?? ""), await works(value)]).toEqual([false, false]);
  });

  it("has an old value that ends with the token", async () => {
    const expiresAt = new Date(clock.now().getTime() + 30_000);
    const { row, value } = await tokens.issue(world.caller, "ci", {
      name: "short",
      projectId: world.projectId,
      expiresAt,
    });
    const rotated = await tokens.rotate(world.caller, row.id, {});
    expect(rotated.previousExpiresAt).toEqual(expiresAt);
    clock.pass(30_000);
    expect([await works(value), await works(rotated.value)]).toEqual([false, false]);
    await expect(tokens.rotate(world.caller, row.id, {})).rejects.toThrow("expired");
  });
});

import pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Fleet, type FleetMember } from "../../../../src/domain/fleet/fleet.ts";
import { Tokens } from "../../../../src/domain/identity/token.ts";
import { tokenDigest } from "../../../../src/kit/crypto/token.ts";
import { createLog } from "../../../../src/kit/observability/log.ts";
import { newId } from "../../../../src/kit/process/id.ts";
import { type Database, openDatabase } from "../../../../src/store/connection/database.ts";
import { applicationRole } from "../../../../src/store/core/roles.ts";
import { createTestDatabase, type TestDatabase } from "../../../harness/database.ts";
import { createWorld, type World } from "../../../harness/vector/world.ts";

const within = { timeout: 30_000, interval: 10 };
const log = createLog({ name: "test", level: "silent" });

describe("Fleet", () => {
  let urls: TestDatabase;
  let database: Database;
  let world: World;
  let digest: string;

  beforeAll(async () => {
    urls = await createTestDatabase();
    database = await openDatabase({ url: urls.applicationUrl, poolSize: 2 });
  });

  beforeEach(async () => {
    world = await createWorld(database);
    digest = tokenDigest(world.tokens.runtime ?? "").toString("hex");
  });

  afterAll(async () => {
    await database.close();
    await urls.drop();
  });

  const member = (change: Partial<FleetMember> = {}) => {
    const heard: (string | number)[] = [];
    const joined: FleetMember = {
      orgId: world.orgId,
      projectId: world.projectId,
      environment: "dev",
      tokenDigest: digest,
      bundleChanged: (seq) => heard.push(seq),
      tokensChanged: (tokens) => heard.push(`${tokens.length} tokens`),
      quotaChanged: () => undefined,
      revoked: () => heard.push("revoked"),
      stop: () => heard.push("stop"),
      ...change,
    };
    return { heard, joined };
  };
  const activate = (seq: number) =>
    database.systemTransaction(world.orgId, (tx) => tx.sql("update environment set activation_seq = ?", [seq]));

  it("tells each runtime that joins what is in force, so that nothing is missed between enrolment and stream", async () => {
    await activate(3);
    const fleet = new Fleet({ database, log });
    const { heard, joined } = member();
    fleet.join(joined);
    await expect.poll(() => [...heard].sort(), within).toEqual(["3 tokens", 3].sort());
    const stranger = member({ tokenDigest: "0".repeat(64) });
    fleet.join(stranger.joined);
    await expect.poll(() => stranger.heard, within).toContain("revoked");
  });

  it("tells of an activation only the runtimes of its environment", () => {
    const fleet = new Fleet({ database, log });
    const [here, elsewhere, foreign] = [member(), member({ environment: "prod" }), member({ orgId: newId() })];
    for (const { joined } of [here, elsewhere, foreign]) fleet.join(joined);
    fleet.bundleChanged({ org_id: world.orgId, project_id: world.projectId, environment: "dev", activation_seq: 9 });
    expect([here.heard, elsewhere.heard, foreign.heard]).toEqual([[9], [], []]);
    fleet.bundleChanged({ org_id: world.orgId, activation_seq: "9" });
    fleet.tokensChanged({ org_id: 7 });
    expect(here.heard).toEqual([9]);
  });

  it("reads the tokens of an organization again when they change while they are being read", async () => {
    const fleet = new Fleet({ database, log });
    const { heard, joined } = member();
    fleet.join(joined);
    await new Tokens(database).issue(world.caller, "admin", { name: "another" });
    fleet.tokensChanged({ org_id: world.orgId });
    await expect.poll(() => heard.at(-1), within).toBe("4 tokens");
    for (let i = 0; i < 100; i += 1) fleet.tokensChanged({ org_id: world.orgId });
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(heard.length).toBeLessThan(6);
  });

  it("after a resync tells everyone everything", async () => {
    const fleet = new Fleet({ database, log });
    const { heard, joined } = member();
    fleet.join(joined);
    await expect.poll(() => heard, within).toEqual(["3 tokens"]);
    await activate(8);
    fleet.resync();
    // Its arrival may have read the activation as late as now; being told the same twice does no harm.
    await expect.poll(() => heard.filter((one) => one === "3 tokens"), within).toHaveLength(2);
    await expect.poll(() => heard, within).toContain(8);
  });

  it("closes when the last runtime has left, and stops runtimes that come later", async () => {
    const fleet = new Fleet({ database, log });
    const [one, two] = [member(), member()];
    const leave = [fleet.join(one.joined), fleet.join(two.joined)];
    let isClosed = false;
    const closed = fleet.close().then(() => {
      isClosed = true;
    });
    expect([one.heard, two.heard]).toEqual([["stop"], ["stop"]]);
    leave[0]?.();
    await Promise.resolve();
    expect([isClosed, fleet.size]).toEqual([false, 1]);
    leave[1]?.();
    await closed;
    const late = member();
    fleet.join(late.joined);
    expect(late.heard).toEqual(["stop"]);
  });

  it("tries again what the database refuses to answer, until it does", async () => {
    await activate(2);
    const { heard, joined } = member();
    const owner = new pg.Client({ connectionString: urls.migrationUrl });
    await owner.connect();
    await owner.query(`revoke select on token, environment from ${applicationRole}`);
    const fleet = new Fleet({ database, log });
    fleet.join(joined);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(heard).toEqual([]);
    await owner.query(`grant select on token, environment to ${applicationRole}`);
    await expect.poll(() => [...heard].sort(), within).toEqual(["3 tokens", 2].sort());
    await owner.end();
  });
});

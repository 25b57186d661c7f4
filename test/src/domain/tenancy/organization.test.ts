import { randomUUID } from "node:crypto";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CredentialKind } from "../../../../gen/policyguard/options/v1/options_pb.ts";
import { Ingest } from "../../../../src/domain/fleet/ingest.ts";
import { roleOf } from "../../../../src/domain/identity/session.ts";
import { Tokens } from "../../../../src/domain/identity/token.ts";
import { TraceRetention } from "../../../../src/domain/telemetry/trace-retention.ts";
import { Organizations } from "../../../../src/domain/tenancy/organization.ts";
import { systemClock } from "../../../../src/kit/process/clock.ts";
import type { Caller } from "../../../../src/kit/rpc/context.ts";
import { type Database, openDatabase } from "../../../../src/store/connection/database.ts";
import type { MemberRole } from "../../../../src/store/identity/member.ts";
import { checksums, filledTables } from "../../../harness/access/rows.ts";
import { createTestDatabase, type TestDatabase } from "../../../harness/database.ts";
import { testSealer } from "../../../harness/sealer.ts";
import { createPerson } from "../../../harness/vector/person.ts";
import { createWorld, type World } from "../../../harness/vector/world.ts";
import { batchOf, evaluation } from "../telemetry/evaluation.ts";

let urls: TestDatabase;
let database: Database;
let witness: pg.Client;
let worker: Database;

beforeAll(async () => {
  urls = await createTestDatabase();
  database = await openDatabase({ url: urls.applicationUrl, poolSize: 4 });
  worker = await openDatabase({ url: urls.workerUrl, poolSize: 2 });
  witness = await urls.openWitness();
});

afterAll(async () => {
  await Promise.all([database.close(), worker.close(), witness.end()]);
  await urls.drop();
});

/** An organization with something in it: members, tokens, traces, an entry in the audit log. */
async function createLivedIn(role: MemberRole): Promise<World & { readonly as: Caller }> {
  const world = await createWorld(database);
  const { orgId, projectId } = world;
  const { account_id: id, email: label, session_id: sessionId } = await createPerson(database, { orgId, role });
  const source = { orgId, projectId, environment: "dev", instanceId: randomUUID() };
  await new Ingest(database, { sealer: testSealer, onResult: () => undefined }).ingest(
    source,
    batchOf([evaluation({}, new Date())]),
  );
  await new Tokens(database).issue(world.caller, "admin", { name: "another" });
  const credential = {
    ...{ kind: CredentialKind.MEMBER, id, label, sessionId, roles: new Map([[orgId, roleOf(role)]]) },
    ...{ orgId: undefined, projectId: undefined, environment: undefined },
  };
  const audit = { action: "", requestId: "test", address: "192.0.2.7" };
  return { ...world, as: { credential, orgId, role: roleOf(role), audit } };
}

describe("deleting an organization", () => {
  it("leaves no row of it in any table once the worker has cleared up, and touches no other", async () => {
    const [gone, other] = [await createLivedIn("owner"), await createLivedIn("owner")];
    const before = await checksums(witness, other.orgId);
    expect(await filledTables(witness, gone.orgId)).toEqual(
      expect.arrayContaining(["audit_entry", "evaluation_key", "member", "organization", "token", "trace"]),
    );
    await new Organizations(database).delete(gone.as, { confirm: "Test" });
    const left = await filledTables(witness, gone.orgId);
    expect(left.filter((table) => !/^(trace|evaluation_key|stat_delta)/.test(table))).toEqual([]);
    await new TraceRetention(worker, systemClock, { partition: "month" }).purgeOrganization(gone.orgId);
    expect(await filledTables(witness, gone.orgId)).toEqual([]);
    expect(await checksums(witness, other.orgId)).toEqual(before);
  });

  it("leaves who did it to the worker's log, since the audit log goes too", async () => {
    const gone = await createLivedIn("owner");
    await new Organizations(database).delete(gone.as, { confirm: "Test" });
    const queue = new pg.Client({ connectionString: urls.workerUrl });
    await queue.connect();
    const { rows } = await queue.query(
      "select payload->>'by' as by from graphile_worker._private_jobs where payload->>'org_id' = $1",
      [gone.orgId],
    );
    await queue.end();
    const { label, id } = gone.as.credential;
    expect(rows).toEqual([{ by: `${label} (${id}) from 192.0.2.7 by request test` }]);
  });

  it("ends its tokens with the commit", async () => {
    const gone = await createLivedIn("owner");
    const tokens = new Tokens(database);
    expect(await tokens.authenticate(gone.tokens.admin ?? "", new Date())).toBeDefined();
    await new Organizations(database).delete(gone.as, { confirm: "Test" });
    for (const value of [gone.tokens.admin, gone.tokens.ci, gone.tokens.runtime]) {
      expect(await tokens.authenticate(value ?? "", new Date())).toBeUndefined();
    }
  });

  it("needs somebody who is an owner still", async () => {
    const kept = await createLivedIn("admin");
    const asOwner = { ...kept.as, role: roleOf("owner") };
    await expect(new Organizations(database).delete(asOwner, { confirm: "Test" })).rejects.toThrow(
      "needs the role owner",
    );
  });
});

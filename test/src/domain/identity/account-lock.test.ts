import pg from "pg";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { AccountLocks } from "../../../../src/domain/identity/account-lock.ts";
import { LoginTries } from "../../../../src/domain/identity/login-try.ts";
import { recordLock } from "../../../../src/jobs/record-lock.ts";
import type { JobServices } from "../../../../src/jobs/task.ts";
import { Fault } from "../../../../src/kit/fault/fault.ts";
import { newId } from "../../../../src/kit/process/id.ts";
import { type Database, openDatabase } from "../../../../src/store/connection/database.ts";
import { callAccount } from "../../../api/identity/people.ts";
import { createMovedClock, type MovedClock } from "../../../harness/moved-clock.ts";
import { startTestControlPlane, type TestControlPlane } from "../../../harness/process/control-plane.ts";
import { createPerson, type Person } from "../../../harness/vector/person.ts";
import { createWorld } from "../../../harness/vector/world.ts";

const wrongPassword = "not this one, surely";

let clock: MovedClock;
let plane: TestControlPlane;
let worker: Database;
let queue: pg.Client;

beforeAll(async () => {
  clock = createMovedClock();
  plane = await startTestControlPlane({ clock });
  worker = await openDatabase({ url: plane.urls.workerUrl, poolSize: 2, clock });
  queue = new pg.Client({ connectionString: plane.urls.workerUrl });
  await queue.connect();
});

afterAll(async () => {
  await Promise.all([queue.end(), worker.close()]);
  await plane.stop();
});

beforeEach(async () => {
  await queue.query("delete from graphile_worker._private_jobs");
});

/** Payloads of the jobs that would write locks down. */
async function reported(): Promise<Record<string, string>[]> {
  const { rows } = await queue.query(
    `select j.payload from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
     where t.identifier = 'record-lock' order by j.id`,
  );
  return rows.map(({ payload }) => payload);
}

async function writeDown(payload: unknown): Promise<void> {
  const services: Pick<JobServices, "locks"> = { locks: new AccountLocks(worker) };
  await recordLock.run(services as JobServices, payload); // the job needs nothing else
}

async function lockOut(email: string): Promise<void> {
  for (let n = 0; n < 5; n++) {
    expect((await callAccount(plane, "Login", { email, password: wrongPassword })).status).toBe(401);
  }
}

async function entriesOf(orgId: string, action: string) {
  const { entries } = await plane.recorded(orgId);
  return entries.filter((entry) => entry.action === action);
}

async function memberOfTwo(): Promise<{ person: Person; orgIds: string[] }> {
  const [first, second] = [await createWorld(plane.database), await createWorld(plane.database)];
  const person = await createPerson(plane.database, { orgId: first.orgId, role: "viewer" });
  await plane.database.systemTransaction(second.orgId, (tx) =>
    tx.sql(
      `insert into member (org_id, id, account_id, email, email_key, role, state, created_at, updated_at)
       values (?, ?, ?, ?, ?, 'viewer', 'active', ?, ?)`,
      [second.orgId, newId(), person.account_id, person.email, person.email, tx.now, tx.now],
    ),
  );
  return { person, orgIds: [first.orgId, second.orgId] };
}

test("a lock has one entry in the log of each organization of the account, however often its job runs", async () => {
  const { person, orgIds } = await memberOfTwo();
  await lockOut(person.email);
  const jobs = await reported();
  expect(jobs).toHaveLength(1);
  for (let n = 0; n < 2; n++) await writeDown(jobs[0]);
  for (const orgId of orgIds) {
    const found = await entriesOf(orgId, "account.lock");
    expect(found).toHaveLength(1);
    const [{ leaf, openings } = { leaf: "", openings: { actor: "", address: "", before: "", after: "" } }] = found;
    expect(JSON.parse(leaf)).toMatchObject({
      ...{ resource: `account/${person.account_id}`, credential: "policy-guard", request_id: jobs[0]?.request_id },
    });
    expect(openings).toMatchObject({ actor: '"policy-guard"', before: "null" });
    expect(JSON.parse(openings.address)).toBe(jobs[0]?.address);
    const until = new Date(clock.now().getTime() + 60_000).toISOString();
    expect(JSON.parse(openings.after)).toEqual({ email: person.email, locked_until: until });
  }
});

test("an address without an account is locked by the same calls to the database, and leaves no entry", async () => {
  await lockOut(`nobody.${newId()}@example.com`);
  const jobs = await reported();
  expect(jobs).toHaveLength(1);
  await writeDown(jobs[0]);
  expect(Object.keys(jobs[0] ?? {}).toSorted()).toEqual(["account_id", "address", "locked_until", "request_id"]);
});

test("refused sign-ins leave no entry; they are counted by reason, without address or account", async () => {
  const world = await createWorld(plane.database);
  const person = await createPerson(plane.database, { orgId: world.orgId, role: "viewer" });
  const counts = async () => {
    const text = await (await fetch(`${plane.managementUrl}/metrics`)).text();
    expect(text).not.toContain(person.email);
    const found = [...text.matchAll(/^sign_ins_refused_total\{reason="(\w+)"\} (\d+)$/gm)];
    return Object.fromEntries(found.map(([, reason, count]) => [reason, Number(count)]));
  };
  const before = { wrong_credential: 0, locked: 0, expired: 0, single_sign_on: 0, ...(await counts()) };
  await lockOut(person.email);
  expect((await callAccount(plane, "Login", { email: person.email, password: person.password })).status).toBe(423);
  const code = { mfa_token: "gr_mfa_unknown", code: "123456" };
  expect((await callAccount(plane, "CompleteLogin", code)).status).toBe(401);
  expect(await counts()).toMatchObject({
    wrong_credential: before.wrong_credential + 5,
    locked: before.locked + 1,
    expired: before.expired + 1,
  });
  expect((await plane.recorded(world.orgId)).actions).toEqual([]);
});

test("a stranger who guesses as fast as locks allow, for ten days, makes an account's log grow by some twenty entries", async () => {
  const { person } = await memberOfTwo();
  const tries = new LoginTries(plane.database, clock);
  const call = { action: "account.sign_in", requestId: "r", address: "192.0.2.66" };
  const end = clock.now().getTime() + 10 * 86_400_000;
  let guesses = 0;
  while (clock.now().getTime() < end) {
    try {
      await tries.run(person.email, call, async () => ({ outcome: "wrong", value: undefined }));
      guesses += 1;
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      clock.pass(Number(error.extra.retry_after) * 1_000);
    }
  }
  const locks = await reported();
  expect(guesses).toBe(locks.length + 4);
  expect(locks.length).toBeLessThanOrEqual(12 + 10);
});

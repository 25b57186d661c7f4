// Tokens of people who leave, or stop being admins: whatever they made, or was made with what they made, ends.

import pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Departures, providerGraceMs } from "../../../../src/domain/identity/departure.ts";
import { Invitations } from "../../../../src/domain/identity/invitation.ts";
import { LoginTries } from "../../../../src/domain/identity/login-try.ts";
import { PasswordHasher } from "../../../../src/domain/identity/password-hash.ts";
import { Team } from "../../../../src/domain/identity/team.ts";
import { Tokens } from "../../../../src/domain/identity/token.ts";
import type { MailMessage, TransactionalMailer } from "../../../../src/domain/mail/mail.ts";
import { Organizations } from "../../../../src/domain/tenancy/organization.ts";
import type { Caller } from "../../../../src/kit/rpc/context.ts";
import { type Database, openDatabase } from "../../../../src/store/connection/database.ts";
import type { MemberRole } from "../../../../src/store/identity/member.ts";
import { createTestDatabase, type TestDatabase } from "../../../harness/database.ts";
import { createMovedClock } from "../../../harness/moved-clock.ts";
import { createPerson, memberCaller, type Person } from "../../../harness/vector/person.ts";
import { createWorld, type World } from "../../../harness/vector/world.ts";

const clock = createMovedClock();
let urls: TestDatabase;
let database: Database;
let workerDatabase: Database;
let tokens: Tokens;
let team: Team;
let invitations: Invitations;
let sent: MailMessage[];
let world: World;
let owner: Person;
let asOwner: Caller;
let ada: Person;
let asAda: Caller;

const mailer: TransactionalMailer = { sendWithin: async (_tx, message) => void sent.push(message) };

beforeAll(async () => {
  urls = await createTestDatabase();
  database = await openDatabase({ url: urls.applicationUrl, poolSize: 8, clock });
  workerDatabase = await openDatabase({ url: urls.workerUrl, poolSize: 2, clock });
  tokens = new Tokens(database);
  team = new Team(database, { mailer });
  const hasher = new PasswordHasher();
  const tries = new LoginTries(database, clock);
  invitations = new Invitations(database, { clock, hasher, tries, mailer: undefined, publicUrl: "https://guard.test" });
});

beforeEach(async () => {
  sent = [];
  world = await createWorld(database);
  [owner, asOwner] = await join("owner");
  [ada, asAda] = await join("admin");
});

afterAll(async () => {
  await Promise.all([database.close(), workerDatabase.close()]);
  await urls.drop();
});

async function join(role: MemberRole): Promise<[Person, Caller]> {
  const person = await createPerson(database, { orgId: world.orgId, role });
  return [person, memberCaller(person, world.orgId, role)];
}

const issueAdmin = async (by: Caller, name: string) => (await tokens.issue(by, "admin", { name })).value;
const issueCi = async (by: Caller, name: string) =>
  (await tokens.issue(by, "ci", { name, projectId: world.projectId })).value;
const issueRuntime = async (by: Caller, name: string) =>
  (await tokens.issue(by, "runtime", { name, projectId: world.projectId, environment: "prod" })).value;

/** The call of whoever has a token, as the interceptors would see it at this moment. */
async function bearer(value: string): Promise<Caller> {
  const credential = await tokens.authenticate(value, clock.now());
  if (credential === undefined) throw new Error("this token does not work");
  return { ...asAda, credential, role: undefined };
}

const live = async (...values: string[]) =>
  Promise.all(values.map(async (value) => (await tokens.authenticate(value, clock.now())) !== undefined));

describe("somebody who is removed", () => {
  it("leaves no admin or ci token behind, however long the chain is in which they were made", async () => {
    const first = await issueAdmin(asAda, "back door");
    const second = await issueAdmin(await bearer(first), "second back door");
    const third = await issueCi(await bearer(second), "third back door");
    const own = await issueCi(asAda, "pipeline");
    const [others, bootstrap] = [await issueAdmin(asOwner, "operations"), world.tokens.admin ?? ""];
    const runtime = await issueRuntime(asAda, "gateway");
    await team.remove(asOwner, ada.member_id);
    expect(await live(first, second, third, own)).toEqual([false, false, false, false]);
    expect(await live(others, bootstrap, runtime)).toEqual([true, true, true]);
  });

  it("is told of to owners and admins, with what was revoked and what still works", async () => {
    const [admin] = await join("admin");
    await join("editor");
    await issueAdmin(asAda, "back\u2028door");
    const runtime = await issueRuntime(asAda, "gateway");
    await team.remove(asOwner, ada.member_id);
    expect(sent.map(({ to }) => to).sort()).toEqual([owner.email, admin.email].sort());
    expect(sent[0]?.text).toContain(`${ada.email} was removed`);
    expect(sent[0]?.text).toMatch(/revoked:\n- admin token "back door" \(gr_adm_\w+…\)/);
    expect(sent[0]?.text).toMatch(/still work[^\n]*\n- runtime token "gateway"/);
    expect(sent[0]?.text).not.toContain(runtime);
  });

  it("is told of to the organization's address for security too, which gets one mail if it is an owner's", async () => {
    const organizations = new Organizations(database);
    for (const address of ["security@acme.example", owner.email]) {
      await organizations.update(asOwner, { securityEmail: address });
      const [leaver, asLeaver] = await join("admin");
      await issueAdmin(asLeaver, "operations");
      sent = [];
      await team.remove(asOwner, leaver.member_id);
      expect(sent.map(({ to }) => to).sort()).toEqual([...new Set([owner.email, ada.email, address])].sort());
    }
  });

  it("is told of to nobody when they made no token", async () => {
    await team.remove(asOwner, ada.member_id);
    expect(sent).toEqual([]);
  });

  it("has lost the value that they knew before somebody else rotated their token, which works on", async () => {
    const old = await issueCi(asAda, "pipeline");
    const [{ id } = { id: "" }] = (await tokens.list(asOwner, { limit: 50, offset: 0 }))[0].filter(
      ({ name }) => name === "pipeline",
    );
    const { value } = await tokens.rotate(asOwner, id, { overlapSeconds: 3_600 });
    expect(await live(old, value)).toEqual([true, true]);
    await team.remove(asOwner, ada.member_id);
    expect(await live(old, value)).toEqual([false, true]);
    expect(sent[0]?.text).toContain("the value from before the last rotation no longer works");
  });

  it("rotates nothing with an earlier value that ended while the call was on its way", async () => {
    const old = await issueAdmin(asAda, "operations");
    const onItsWay = await bearer(old);
    await tokens.rotate(asOwner, onItsWay.credential.id, { overlapSeconds: 3_600 });
    await team.remove(asOwner, ada.member_id);
    await expect(issueAdmin(onItsWay, "back door")).rejects.toThrow("missing or invalid credential");
  });

  it("stands for what was issued with the value from before a rotation", async () => {
    const old = await issueAdmin(asAda, "operations");
    const { id } = (await bearer(old)).credential;
    await tokens.rotate(asOwner, id, { overlapSeconds: 3_600 });
    const hidden = await issueAdmin(await bearer(old), "back door");
    await team.remove(asOwner, ada.member_id);
    expect(await live(hidden)).toEqual([false]);
  });

  it("issues nothing any more with a call that was on its way", async () => {
    const value = await issueAdmin(asAda, "operations");
    const onItsWay = await bearer(value);
    await team.remove(asOwner, ada.member_id);
    await expect(issueAdmin(onItsWay, "back door")).rejects.toThrow(/missing|not valid|unknown|expired/);
    await expect(issueAdmin(asAda, "back door")).rejects.toThrow("no access to this organization");
  });

  it("has no token left, whatever they issue at the same moment", async () => {
    for (let round = 0; round < 5; round++) {
      const [person, caller] = await join("admin");
      const onItsWay = await bearer(await issueAdmin(caller, "operations"));
      const issued = await Promise.allSettled([
        issueAdmin(caller, "a"),
        issueCi(onItsWay, "b"),
        team.remove(asOwner, person.member_id),
        issueAdmin(onItsWay, "c"),
        issueCi(caller, "d"),
      ]);
      const values = issued.flatMap((each) => (each.status === "fulfilled" ? (each.value ?? []) : []));
      expect(await live(...values)).toEqual(values.map(() => false));
    }
  });

  it("is heard of by every process that listens, so that runtimes hear of it too", async () => {
    await issueCi(asAda, "pipeline");
    const client = new pg.Client({ connectionString: urls.applicationUrl });
    await client.connect();
    const heard: string[] = [];
    client.on("notification", ({ payload }) => void heard.push(String(payload)));
    await client.query("listen tokens");
    await team.remove(asOwner, ada.member_id);
    await expect.poll(() => heard).toEqual([JSON.stringify({ org_id: world.orgId })]);
    await client.end();
  });
});

describe("open invitations", () => {
  const invite = async (by: Caller, email: string) =>
    (await invitations.invite(by, { email, role: "admin" })).member.id;
  const open = async () =>
    (await team.list(asOwner, { limit: 50, offset: 0 }))[0].flatMap(({ state, email }) =>
      state === "invited" ? [email] : [],
    );

  it.each([
    ["is removed", () => team.remove(asOwner, ada.member_id)],
    ["leaves", () => team.leave(asAda)],
    ["becomes an editor", () => team.setRole(asOwner, ada.member_id, "editor")],
  ])("of somebody who %s are withdrawn, those made with their tokens too, and others stay", async (_, go) => {
    await invite(asAda, "alias@example.com");
    await invite(await bearer(await issueAdmin(await bearer(await issueAdmin(asAda, "a")), "b")), "second@example.com");
    await invite(asOwner, "grace@example.com");
    await invite(await bearer(world.tokens.admin ?? ""), "linus@example.com");
    await go();
    expect((await open()).sort()).toEqual(["grace@example.com", "linus@example.com"]);
    expect(sent[0]?.text).toMatch(
      /withdrawn[^\n]*\n- (?:alias|second)@example\.com as admin\n- \w+@example\.com as admin/,
    );
  });

  it("are told of when they are all that somebody leaves behind, and named in the audit log", async () => {
    const id = await invite(asAda, "alias@example.com");
    await team.remove(asOwner, ada.member_id);
    expect(sent.map(({ to }) => to)).toEqual([owner.email]);
    const entries = await database.read(world.orgId, (tx) =>
      tx.sql<{ after: string }>(
        `select o.after from audit_opening o join audit_entry e using (org_id, seq) where e.resource = ?`,
        [`account/${ada.account_id}`],
      ),
    );
    expect(entries.map(({ after }) => JSON.parse(after).invitations_withdrawn)).toEqual([
      [{ id, email: "alias@example.com", role: "admin" }],
    ]);
  });

  it("that were accepted, and those of an owner who hands the ownership over, stay", async () => {
    await invite(asOwner, "grace@example.com");
    await team.transferOwnership(asOwner, ada.member_id);
    expect(await open()).toEqual(["grace@example.com"]);
  });
});

describe("tokens of somebody who stays, or goes by themselves", () => {
  it("end when they leave", async () => {
    const value = await issueAdmin(asAda, "operations");
    await team.leave(asAda);
    expect(await live(value)).toEqual([false]);
    expect(sent[0]?.text).toContain(`${ada.email} has left`);
  });

  it.each([
    ["editor", false],
    ["viewer", false],
    ["admin", true],
  ] as const)("of an owner who becomes %s: %s", async (role, works) => {
    const [other, asOther] = await join("owner");
    const values = [await issueAdmin(asOther, "operations"), await issueCi(asOther, "pipeline")];
    await team.setRole(asOwner, other.member_id, role);
    expect(await live(...values)).toEqual([works, works]);
    expect(sent.length > 0).toBe(!works);
  });

  it("work on after a transfer of the ownership", async () => {
    const value = await issueAdmin(asOwner, "operations");
    await team.transferOwnership(asOwner, ada.member_id);
    expect(await live(value)).toEqual([true]);
  });
});

describe("a role that the identity provider took away", () => {
  const settle = () =>
    new Departures(workerDatabase, { mailer }).settle({ org_id: world.orgId, account_id: ada.account_id });
  const setRole = (role: MemberRole) =>
    database.systemTransaction(world.orgId, (tx) =>
      tx.sql("update member set role = ? where id = ?", [role, ada.member_id]),
    );

  it("ends tokens when it is still away after the time of grace, and says so in the audit log", async () => {
    const value = await issueAdmin(asAda, "operations");
    await setRole("viewer");
    clock.pass(providerGraceMs);
    await settle();
    expect(await live(value)).toEqual([false]);
    expect(sent.map(({ to }) => to)).toEqual([owner.email]);
    const entries = await database.read(world.orgId, (tx) =>
      tx.sql<{ actor: string; resource: string }>(
        "select actor, resource from audit_entry join audit_opening using (org_id, seq) where action = 'token.revoke'",
      ),
    );
    expect(entries).toEqual([{ actor: "the identity provider", resource: `account/${ada.account_id}` }]);
    await settle();
    expect(sent).toHaveLength(1);
  });

  it("ends nothing when it has come back", async () => {
    const value = await issueAdmin(asAda, "operations");
    await setRole("viewer");
    await setRole("admin");
    await settle();
    expect(await live(value)).toEqual([true]);
  });
});

describe("an admin token", () => {
  it("expires after 90 days unless somebody says otherwise", async () => {
    const day = 86_400_000;
    const end = async (request: { expiresAt?: Date; neverExpires?: boolean }) =>
      (await tokens.issue(asAda, "admin", { name: "operations", ...request })).row.expiresAt;
    expect(await end({})).toEqual(new Date(clock.now().getTime() + 90 * day));
    expect(await end({ neverExpires: true })).toBeNull();
    const later = new Date(clock.now().getTime() + 365 * day);
    expect(await end({ expiresAt: later })).toEqual(later);
    await expect(end({ expiresAt: later, neverExpires: true })).rejects.toThrow("never_expires");
  });
});

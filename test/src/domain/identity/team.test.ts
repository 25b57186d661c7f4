// Who may change whom, by the rule stated a second time: nobody changes a member of equal or higher role except an
// owner, nobody gives a role above their own, and the last owner stays.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Team } from "../../../../src/domain/identity/team.ts";
import { Fault } from "../../../../src/kit/fault/fault.ts";
import { type Database, openDatabase } from "../../../../src/store/connection/database.ts";
import type { MemberRole } from "../../../../src/store/identity/member.ts";
import { createTestDatabase, type TestDatabase } from "../../../harness/database.ts";
import { createPerson, memberCaller } from "../../../harness/vector/person.ts";
import { adminCaller, createWorld, type World } from "../../../harness/vector/world.ts";

const roles: readonly MemberRole[] = ["viewer", "editor", "admin", "owner"];
const rank = (role: MemberRole) => roles.indexOf(role);
let urls: TestDatabase;
let database: Database;
let team: Team;

beforeAll(async () => {
  urls = await createTestDatabase();
  database = await openDatabase({ url: urls.applicationUrl, poolSize: 8 });
  team = new Team(database, { mailer: undefined });
});

afterAll(async () => {
  await database.close();
  await urls.drop();
});

async function outcomeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return "done";
  } catch (error) {
    if (error instanceof Fault) return error.message.startsWith("only an owner") ? "forbidden" : error.message;
    throw error;
  }
}

/** An organization with an owner who stays out of it, so that nobody else is the last. */
async function createTeam(): Promise<World> {
  const world = await createWorld(database);
  await createPerson(database, { orgId: world.orgId, role: "owner" });
  return world;
}

const actors = ["token", "admin", "owner"] as const;

describe("who may change whom", () => {
  const cases = actors.flatMap((actor) => roles.map((target) => [actor, target] as const));

  it.each(cases)("%s and a member who is %s", async (actor, target) => {
    const world = await createTeam();
    const { orgId } = world;
    const own: MemberRole = actor === "token" ? "admin" : actor;
    const caller =
      actor === "token"
        ? adminCaller(orgId)
        : memberCaller(await createPerson(database, { orgId, role: own }), orgId, own);
    const mayChange = own === "owner" || rank(target) < rank(own);
    for (const role of roles) {
      const { member_id: id } = await createPerson(database, { orgId, role: target });
      const wanted = mayChange && rank(role) <= rank(own) ? "done" : "forbidden";
      expect(await outcomeOf(team.setRole(caller, id, role)), `${target} becomes ${role}`).toBe(wanted);
    }
    const { member_id: id } = await createPerson(database, { orgId, role: target });
    expect(await outcomeOf(team.remove(caller, id)), "removed").toBe(mayChange ? "done" : "forbidden");
  });

  it("an admin changes not even their own role, and leaves by leaving", async () => {
    const { orgId } = await createTeam();
    const admin = await createPerson(database, { orgId, role: "admin" });
    const caller = memberCaller(admin, orgId, "admin");
    expect(await outcomeOf(team.setRole(caller, admin.member_id, "viewer"))).toBe("forbidden");
    expect(await outcomeOf(team.remove(caller, admin.member_id))).toBe("forbidden");
    expect(await outcomeOf(team.leave(caller))).toBe("done");
  });

  it("a role that was lost while the call was under way no longer counts", async () => {
    const { orgId } = await createTeam();
    const [admin, viewer] = [
      await createPerson(database, { orgId, role: "viewer" }),
      await createPerson(database, { orgId, role: "viewer" }),
    ];
    // The credential was read before the demotion.
    const caller = memberCaller(admin, orgId, "admin");
    await expect(team.remove(caller, viewer.member_id)).rejects.toThrow("needs the role admin");
    await database.systemTransaction(orgId, (tx) => tx.sql("delete from member where id = ?", [admin.member_id]));
    await expect(team.remove(caller, viewer.member_id)).rejects.toThrow("no access to this organization");
  });
});

describe("an organization always has an owner", () => {
  it("when two owners demote, remove or leave at the same moment", async () => {
    for (let round = 0; round < 10; round++) {
      const { orgId } = await createWorld(database);
      const [a, b] = [
        await createPerson(database, { orgId, role: "owner" }),
        await createPerson(database, { orgId, role: "owner" }),
      ];
      const [asA, asB] = [memberCaller(a, orgId, "owner"), memberCaller(b, orgId, "owner")];
      const outcomes = await Promise.all(
        [
          team.setRole(asA, a.member_id, "viewer"),
          team.setRole(asB, b.member_id, "viewer"),
          team.remove(asA, b.member_id),
          team.remove(asB, a.member_id),
          team.leave(asA),
          team.leave(asB),
        ].map(outcomeOf),
      );
      expect(outcomes, outcomes.join("; ")).toContain("done");
      const [row] = await database.read(orgId, (tx) =>
        tx.sql<{ n: number }>("select count(*)::int as n from member where role = 'owner' and state = 'active'"),
      );
      expect(row?.n, outcomes.join("; ")).toBe(1);
    }
  });

  it("when an owner hands over to another while being removed", async () => {
    const { orgId } = await createWorld(database);
    const [a, b] = [
      await createPerson(database, { orgId, role: "owner" }),
      await createPerson(database, { orgId, role: "admin" }),
    ];
    const [asA] = [memberCaller(a, orgId, "owner")];
    await Promise.all(
      [team.transferOwnership(asA, b.member_id), team.remove(asA, b.member_id), team.leave(asA)].map(outcomeOf),
    );
    const [row] = await database.read(orgId, (tx) =>
      tx.sql<{ n: number }>("select count(*)::int as n from member where role = 'owner' and state = 'active'"),
    );
    expect(row?.n).toBe(1);
  });
});

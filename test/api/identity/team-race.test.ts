// Calls about one team that meet.

import type { JsonObject } from "@bufbuild/protobuf";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startTestControlPlane, type TestControlPlane } from "../../harness/process/control-plane.ts";
import { somewhere } from "../../harness/vector/account-step.ts";
import { createPerson, type Person } from "../../harness/vector/person.ts";
import { createWorld, type World } from "../../harness/vector/world.ts";

let plane: TestControlPlane;
let world: World;

beforeAll(async () => {
  plane = await startTestControlPlane();
});

afterAll(() => plane.stop());

beforeEach(async () => {
  world = await createWorld(plane.database);
});

function call(method: string, request: JsonObject, token = world.tokens.admin) {
  const named = { org_id: world.orgId, ...request };
  return plane.caller.call("rest", { method: `TeamService/${method}`, request: named, token, headers: somewhere() });
}

function accept(token: string, session?: string, more: JsonObject = {}) {
  const request = { token, ...more };
  const method = "AccountService/AcceptInvitation";
  return plane.caller.call("rest", { method, request, token: session, headers: somewhere() });
}

async function invite(email: string): Promise<string> {
  const { body } = await call("InviteMember", { email, role: "editor" });
  return new URL(String((body as JsonObject).invitation_link)).hash.slice("#token=".length);
}

async function members(): Promise<{ id: string; role: string; state: string; email: string }[]> {
  const { body } = await call("ListMembers", { limit: 200 });
  return (body as { members: { id: string; role: string; state: string; email: string }[] }).members;
}

const owners = async () => (await members()).filter(({ role }) => role === "owner").length;

describe("calls about one team that meet", () => {
  it("50 transfers at once leave exactly one owner", async () => {
    const people: Person[] = [await createPerson(plane.database, { orgId: world.orgId, role: "owner" })];
    for (let n = 0; n < 7; n++) people.push(await createPerson(plane.database, { orgId: world.orgId, role: "editor" }));
    const counts: number[] = [];
    const transfers = Array.from({ length: 50 }, async (_, n) => {
      // Everybody tries, whoever is the owner at that moment.
      const [from, to] = [people[n % 8], people[(n * 3 + 1) % 8]];
      const { status } = await call("TransferOwnership", { member_id: to?.member_id ?? "" }, from?.access_token);
      if (n % 10 === 0) counts.push(await owners());
      return status;
    });
    const statuses = await Promise.all(transfers);
    expect(statuses.filter((status) => ![200, 403, 409].includes(status))).toEqual([]);
    expect(statuses).toContain(200);
    expect([...counts, await owners()]).toEqual([...counts, 0].map(() => 1));
  });

  it("transfers, demotions, removals and departures of three owners at once leave an owner", async () => {
    const people: Person[] = [];
    for (let n = 0; n < 3; n++) people.push(await createPerson(plane.database, { orgId: world.orgId, role: "owner" }));
    const calls = people.flatMap((actor, n) =>
      people.flatMap(({ member_id }) => [
        call("UpdateMember", { member_id, role: "viewer" }, actor.access_token),
        call("RemoveMember", { member_id }, actor.access_token),
        call("TransferOwnership", { member_id }, actor.access_token),
        ...(n === 0 ? [] : [call("LeaveOrganization", {}, actor.access_token)]),
      ]),
    );
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    expect(statuses.filter((status) => ![200, 204, 403, 404, 409].includes(status))).toEqual([]);
    expect(await owners()).toBeGreaterThanOrEqual(1);
  });

  it("one link accepted eight times at once makes one member, with a new account", async () => {
    const email = `grace.${world.orgId.slice(0, 8)}@example.com`;
    const token = await invite(email);
    const begins = { name: "Grace", password: "seven quiet otters" };
    const answers = await Promise.all(Array.from({ length: 8 }, () => accept(token, undefined, begins)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(400)]);
    expect((await members()).filter(({ state }) => state === "active").map((member) => member.email)).toEqual([email]);
    expect((await plane.recorded(world.orgId)).events).toEqual(["team.member_added"]);
  });

  it("one link accepted eight times at once makes one member, with a session", async () => {
    const grace = await createPerson(plane.database);
    const token = await invite(grace.email);
    const answers = await Promise.all(Array.from({ length: 8 }, () => accept(token, grace.access_token)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(400)]);
    expect((await plane.recorded(world.orgId)).events).toEqual(["team.member_added"]);
  });

  it("two organizations' links accepted at once by somebody new make one account", async () => {
    const email = `linus.${world.orgId.slice(0, 8)}@example.com`;
    const first = await invite(email);
    const here = world;
    world = await createWorld(plane.database);
    const second = await invite(email);
    const begins = { name: "Linus", password: "seven quiet otters" };
    const answers = await Promise.all([first, second].map((token) => accept(token, undefined, begins)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const ids = answers.map(({ body }) => (body as { account: { id: string } }).account.id);
    expect(new Set(ids).size).toBe(1);
    expect((await members()).length).toBe(1);
    world = here;
    expect((await members()).length).toBe(1);
  });

  it("one address invited eight times at once is invited once", async () => {
    const request = { email: "grace@example.com", role: "viewer" };
    const answers = await Promise.all(Array.from({ length: 8 }, () => call("InviteMember", request)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(409)]);
  });

  it("one join request approved and rejected at once is decided once", async () => {
    const eve = await createPerson(plane.database);
    await call("AskToJoin", {}, eve.access_token);
    const { body } = await call("ListJoinRequests", {});
    const request_id = (body as { join_requests: { id: string }[] }).join_requests[0]?.id ?? "";
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) => call(`${n % 2 === 0 ? "Approve" : "Reject"}JoinRequest`, { request_id })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(409)]);
    expect((await plane.recorded(world.orgId)).actions.filter((action) => /join/.test(action))).toHaveLength(1);
  });

  it("an invitation and a request of the same person end in one member", async () => {
    const eve = await createPerson(plane.database);
    await call("AskToJoin", {}, eve.access_token);
    const token = await invite(eve.email);
    const { body } = await call("ListJoinRequests", {});
    const request_id = (body as { join_requests: { id: string }[] }).join_requests[0]?.id ?? "";
    const [approved, accepted] = await Promise.all([
      call("ApproveJoinRequest", { request_id }),
      accept(token, eve.access_token),
    ]);
    expect([approved.status, accepted.status].filter((status) => status === 200)).toHaveLength(1);
    expect((await members()).map(({ email, state }) => [email, state])).toEqual([[eve.email, "active"]]);
  });

  it("a removed member's session has lost the organization with the next call", async () => {
    const ada = await createPerson(plane.database, { orgId: world.orgId, role: "editor" });
    expect((await call("ListMembers", {}, ada.access_token)).status).toBe(200);
    await call("RemoveMember", { member_id: ada.member_id });
    expect((await call("ListMembers", {}, ada.access_token)).error).toBe("no_access_to_organization");
  });

  it("one account makes at most 20 organizations, even when calls race", async () => {
    const ada = await createPerson(plane.database);
    const method = "OrganizationService/CreateOrganization";
    const make = () => plane.caller.call("rest", { method, request: { name: "Acme" }, token: ada.access_token });
    const statuses = (await Promise.all(Array.from({ length: 25 }, make))).map(({ status }) => status);
    expect(statuses.sort()).toEqual([...Array(20).fill(201), ...Array(5).fill(409)]);
  });
});

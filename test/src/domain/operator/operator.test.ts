import { afterAll, beforeAll, expect, test } from "vitest";
import { Quota } from "../../../../src/domain/billing/quota.ts";
import { Usage } from "../../../../src/domain/billing/usage.ts";
import { PasswordHasher } from "../../../../src/domain/identity/password-hash.ts";
import { Operator } from "../../../../src/domain/operator/operator.ts";
import { newId } from "../../../../src/kit/process/id.ts";
import { addUsage } from "../../../../src/store/billing/usage.ts";
import { openDatabase } from "../../../../src/store/connection/database.ts";
import { callAccount, memberOf } from "../../../api/identity/people.ts";
import { startTestControlPlane, type TestControlPlane } from "../../../harness/process/control-plane.ts";
import { createPerson } from "../../../harness/vector/person.ts";
import { createWorld } from "../../../harness/vector/world.ts";

const password = "eleven brave magpies";
const nobody = async () => expect.unreachable("an account that is there keeps its password");

let plane: TestControlPlane;
let operator: Operator;

beforeAll(async () => {
  // Where nobody may register, this is how accounts begin.
  plane = await startTestControlPlane({ env: { POLICY_GUARD_REGISTRATION: "invite_only" } });
  operator = new Operator(plane.database, new PasswordHasher(), {
    actor: "operator:ada",
    isDryRun: false,
    defaultPlan: "free",
    graceMs: 0,
  });
});

afterAll(() => plane.stop());

const input = (ownerEmail: string) => ({ name: "Acme", ownerEmail, ownerName: "Ada", password: async () => password });

/** The organizations of the person, by name and role. */
async function organizationsOf(email: string, typed = password): Promise<unknown> {
  const tokens = memberOf(await callAccount(plane, "Login", { email, password: typed }), "tokens");
  return (await callAccount(plane, "GetMe", {}, { token: tokens.access_token })).body;
}

test("a person with an organization is made, signs in, and owns it", async () => {
  const email = "ada@acme.example";
  const made = await operator.createOrganization({ ...input(email), plan: "growth", evaluations: 400_000 });
  expect(made).toMatchObject({ name: "Acme", plan: "growth", evaluationsPerMonth: 400_000, isNewAccount: true });
  expect(await organizationsOf(email)).toMatchObject({
    organizations: [{ org_id: made.orgId, org_name: "Acme", role: "owner" }],
  });
  expect((await plane.recorded(made.orgId)).actions.slice(0, 2)).toEqual([
    "organization.create",
    "organization.create",
  ]);
});

test("a person who has an account keeps it, and owns another organization", async () => {
  const person = await createPerson(plane.database);
  const made = await operator.createOrganization({ ...input(person.email), password: nobody });
  expect(made).toMatchObject({ plan: "free", evaluationsPerMonth: 10_000, isNewAccount: false });
  expect(await organizationsOf(person.email, person.password)).toMatchObject({
    organizations: [{ org_id: made.orgId, role: "owner" }],
  });
});

test("a raised limit holds for usage and for leases, until the plan changes", async () => {
  const { orgId, projectId, environment, admin } = await worldOf();
  const usage = () => new Usage(plane.database).get(admin);
  await operator.setPlan(orgId, "growth");
  await plane.database.systemTransaction(orgId, (tx) =>
    addUsage(tx, new Map([[`${tx.now.toISOString().slice(0, 7)}-01`, 250_000]])),
  );
  const lease = () =>
    new Quota(plane.database, { mode: "off" })
      .open({ orgId, projectId, environment, instanceId: newId() })
      .answer([], "now");
  expect(await usage()).toMatchObject({ limit: 250_000, remaining: 0 });
  expect((await lease()).state).toBe("exhausted");
  expect(await operator.setLimit(orgId, 300_000)).toMatchObject({ plan: "growth", evaluationsPerMonth: 300_000 });
  expect(await usage()).toMatchObject({ limit: 300_000, remaining: 50_000 });
  expect(await lease()).toMatchObject({ state: "leased", limit: 300_000 });
  expect(await operator.setLimit(orgId, undefined)).toMatchObject({ evaluationsPerMonth: 250_000 });
  await operator.setLimit(orgId, 300_000);
  expect(await operator.setPlan(orgId, "free")).toMatchObject({ evaluationsPerMonth: 10_000 });
  expect((await plane.recorded(orgId)).actions.slice(-2)).toEqual(["organization.set_limit", "organization.set_plan"]);
});

test("a plan with an end is not above what comes after it, and one in the past is refused", async () => {
  const { orgId } = await worldOf();
  const soon = new Date(Date.now() + 3_600_000).toISOString();
  expect(await operator.setPlan(orgId, "enterprise", { until: soon })).toMatchObject({
    plan: "enterprise",
    operatorPlanUntil: new Date(soon),
  });
  await expect(operator.setPlan(orgId, "growth", { until: "2020-01-31" })).rejects.toThrow("is in the past");
  await expect(operator.setPlan(orgId, "growth", { until: "soon" })).rejects.toThrow("until: expected a date");
  expect(await operator.show(orgId)).toMatchObject({ plan: "enterprise", evaluationsPerMonth: null });
});

test("a block answers calls with 402 until it is lifted, and both are in the organization's own log", async () => {
  const { orgId, tokens } = await worldOf();
  const status = async () =>
    (
      await plane.caller.call("rest", {
        method: "PolicyService/ListPolicies",
        request: { org_id: orgId },
        token: tokens.admin,
      })
    ).status;
  expect(await operator.block(orgId, "no payment since May")).toMatchObject({ billingBlocked: true });
  expect(await status()).toBe(402);
  expect(await operator.show(orgId)).toMatchObject({ blockReason: "no payment since May" });
  expect(await operator.unblock(orgId, "paid by cheque")).toMatchObject({ billingBlocked: false, blockReason: null });
  expect(await status()).toBe(200);
  const { entries, actions } = await plane.recorded(orgId);
  expect(actions.slice(-2)).toEqual(["organization.block", "organization.unblock"]);
  expect(JSON.stringify(entries.at(-1))).toContain("operator:ada");
});

test("all organizations are listed with what they used, by the worker's login only", async () => {
  const { orgId } = await worldOf();
  await plane.database.systemTransaction(orgId, (tx) => addUsage(tx, new Map([["2026-03-01", 12]])));
  const worker = await openDatabase({ url: plane.urls.workerUrl, poolSize: 2 });
  try {
    expect(await operator.list(worker)).toContainEqual(expect.objectContaining({ orgId, plan: "free" }));
    expect(await operator.usage(worker, "2026-03")).toContainEqual(
      expect.objectContaining({ orgId, month: "2026-03", evaluations: 12, overageEvaluations: 0 }),
    );
    await expect(operator.usage(worker, "March")).rejects.toThrow("month: expected a month");
  } finally {
    await worker.close();
  }
  await expect(operator.list(plane.database)).rejects.toThrow();
});

test("all members of an organization are signed out at once, and its tokens stay", async () => {
  const world = await createWorld(plane.database);
  const owner = await world.person("owner");
  const me = async () => (await callAccount(plane, "GetMe", {}, { token: owner.access_token })).status;
  expect(await me()).toBe(200);
  expect(await operator.endSessions(world.orgId)).toMatchObject({ orgId: world.orgId, members: 1 });
  expect(await me()).toBe(401);
  expect((await plane.recorded(world.orgId)).actions).toContain("organization.end_sessions");
});

test("a dry run answers the same, and changes nothing", async () => {
  const { orgId, admin } = await worldOf();
  const tried = new Operator(plane.database, new PasswordHasher(), {
    actor: "operator:ada",
    isDryRun: true,
    defaultPlan: "free",
    graceMs: 0,
  });
  expect(await tried.setPlan(orgId, "growth", { evaluations: 500_000 })).toMatchObject({
    evaluationsPerMonth: 500_000,
  });
  expect(await new Usage(plane.database).get(admin)).toMatchObject({ plan: "free", limit: 10_000 });
  expect((await plane.recorded(orgId)).actions).not.toContain("organization.set_plan");
  const made = await tried.createOrganization(input("nobody@acme.example"));
  expect(made.isNewAccount).toBe(true);
  expect((await callAccount(plane, "Login", { email: "nobody@acme.example", password })).status).toBe(401);
});

test.each([
  ["a plan that there is not", (at: Operator, id: string) => at.setPlan(id, "gold"), /plan: expected one of free/],
  ["a limit on free", (at: Operator, id: string) => at.setLimit(id, 500_000), /only the plan growth/],
  [
    "a limit below the plan's",
    (at: Operator, id: string) => at.setPlan(id, "growth", { evaluations: 1 }),
    /from 250000/,
  ],
  ["no number", (at: Operator, id: string) => at.setPlan(id, "growth", { evaluations: Number.NaN }), /a whole number/],
  ["no id", (at: Operator) => at.setPlan("acme", "growth"), /organization: expected the id/],
  ["an unknown organization", (at: Operator) => at.setPlan(newId(), "growth"), /no organization has this id/],
  ["no address", (at: Operator) => at.createOrganization(input("ada")), /owner: /],
  ["an empty name", (at: Operator) => at.createOrganization({ ...input("b@acme.example"), name: "" }), /name: /],
])("is refused: %s", async (_, act: (at: Operator, id: string) => Promise<unknown>, message) => {
  const { orgId } = await worldOf();
  await expect(act(operator, orgId)).rejects.toThrow(message);
});

async function worldOf() {
  const world = await createWorld(plane.database);
  return { ...world, admin: world.caller };
}

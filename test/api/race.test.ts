// Calls at the same moment that cannot all have their way. Each gets an answer of its own, and none is a 5xx.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ownAnalysis } from "../../src/domain/analysis/own-analysis.ts";
import { startTestControlPlane, type TestControlPlane } from "../harness/process/control-plane.ts";
import type { TestAnswer } from "../harness/vector/dialect.ts";
import { createWorld, type World } from "../harness/vector/world.ts";

let plane: TestControlPlane;
let world: World;

beforeAll(async () => {
  plane = await startTestControlPlane({ analysis: ownAnalysis() });
  world = await createWorld(plane.database);
});

afterAll(() => plane.stop());

describe("races", () => {
  it("of two publishes that expect the same version one wins, the other is told the version", async () => {
    const request = { ...envRequest(), expected_version: 0 };
    const answers = await together(2, () => call("BundleService/PublishBundle", request));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
    const [lost] = answers.filter(({ status }) => status === 409);
    expect(lost?.body).toMatchObject({ detail: { error: "bundle_version_conflict", current_version: 1 } });
  });

  it("of two publishes that expect nothing both win, with versions of their own", async () => {
    const answers = await together(2, () => call("BundleService/PublishBundle", envRequest("staging")));
    expect(answers.map(({ status, body }) => [status, (body as { version: number }).version]).sort()).toEqual([
      [201, 1],
      [201, 2],
    ]);
  });

  it("of fifty runtime tokens for one environment one is issued", async () => {
    const request = { org_id: world.orgId, project_id: world.projectId, environment: "prod" };
    const answers = await together(50, () => call("TokenService/IssueRuntimeToken", request));
    expect(tally(answers)).toEqual({ "201 ": 1, "409 runtime_key_exists": 49 });
  });

  it("of ten updates that follow the same version one is taken", async () => {
    const request = {
      org_id: world.orgId,
      policy_id: await newPolicy("raced"),
      document: document("raced"),
      expected_version: 1,
    };
    const answers = await together(10, () => call("PolicyService/UpdatePolicy", request));
    expect(tally(answers)).toEqual({ "200 ": 1, "409 version_conflict": 9 });
  });

  it("of ten updates that expect nothing all are taken, one version each", async () => {
    const request = { org_id: world.orgId, policy_id: await newPolicy("piled"), document: document("piled") };
    const answers = await together(10, () => call("PolicyService/UpdatePolicy", request));
    const versions = answers.map(({ body }) => (body as { version: number }).version);
    expect(versions.sort((a, b) => a - b)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  });

  it.each([
    ["ProjectService/CreateProject", () => ({ org_id: world.orgId, name: "Raced" })],
    [
      "EnvironmentService/CreateEnvironment",
      () => ({ org_id: world.orgId, project_id: world.projectId, name: "raced" }),
    ],
    ["PolicyService/CreatePolicy", () => ({ org_id: world.orgId, document: document("created") })],
  ] as const)("of ten equal calls of %s one makes the name", async (method, requestOf) => {
    expect(tally(await together(10, () => call(method, requestOf())))).toEqual({ "201 ": 1, "409 already_exists": 9 });
  });

  it.each<[string, () => Promise<CallRequest>]>([
    ["ProjectService/DeleteProject", async () => ({ org_id: world.orgId, project_id: await newProject("Doomed") })],
    [
      "EnvironmentService/DeleteEnvironment",
      async () => ({ org_id: world.orgId, project_id: await newProject("Half doomed"), env_name: "dev" }),
    ],
    ["PolicyService/DeletePolicy", async () => ({ org_id: world.orgId, policy_id: await newPolicy("doomed") })],
    [
      "TokenService/RevokeToken",
      async () => {
        const issued = await call("TokenService/IssueAdminToken", { org_id: world.orgId, name: "doomed" });
        return { org_id: world.orgId, token_id: (issued.body as { id: string }).id };
      },
    ],
  ])("of ten equal calls of %s one finds it, and one audit entry is written", async (method, prepare) => {
    const request = await prepare();
    const before = await plane.recorded(world.orgId);
    expect(tally(await together(10, () => call(method, request)))).toEqual({ "204 ": 1, "404 not_found": 9 });
    const after = await plane.recorded(world.orgId);
    expect(after.actions.length - before.actions.length).toBe(1);
  });

  it("a resource created in a project while it is deleted is either created or not found", async () => {
    const projectId = await newProject("Vanishing");
    const make = (n: number) =>
      call("EnvironmentService/CreateEnvironment", { org_id: world.orgId, project_id: projectId, name: `e${n}` });
    const issue = (n: number) =>
      call("TokenService/IssueCiToken", { org_id: world.orgId, project_id: projectId, name: `t${n}` });
    const deleted = call("ProjectService/DeleteProject", { org_id: world.orgId, project_id: projectId });
    const made = await Promise.all([1, 2, 3, 4, 5].flatMap((n) => [make(n), issue(n)]));
    expect((await deleted).status).toBe(204);
    expect(made.filter(({ status }) => status !== 201 && status !== 404)).toEqual([]);
  });
});

type CallRequest = Parameters<TestControlPlane["caller"]["call"]>[1]["request"];

function envRequest(environment = "dev") {
  return { org_id: world.orgId, project_id: world.projectId, env_name: environment };
}

function document(name: string) {
  const rules = [{ id: "secrets.any", stages: ["input"], detect: "secrets", action: "BLOCK" }];
  return { apiVersion: "policyguard/v1", kind: "Policy", metadata: { name }, rules };
}

function call(method: string, request: CallRequest): Promise<TestAnswer> {
  return plane.caller.call("rest", { method, request, token: world.tokens.admin });
}

async function newProject(name: string): Promise<string> {
  const made = await call("ProjectService/CreateProject", { org_id: world.orgId, name });
  return (made.body as { id: string }).id;
}

async function newPolicy(name: string): Promise<string> {
  const made = await call("PolicyService/CreatePolicy", { org_id: world.orgId, document: document(name) });
  return (made.body as { id: string }).id;
}

function together<T>(count: number, work: () => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, work));
}

function tally(answers: readonly TestAnswer[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status, error } of answers) counts[`${status} ${error}`] = (counts[`${status} ${error}`] ?? 0) + 1;
  return counts;
}

// Approvals: whose they may be, and that they count or do not count when people act at the same moment.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Installation, startInstallation } from "../../harness/process/installation.ts";
import { tokenOf } from "../../harness/vector/world.ts";

let home: Installation;
let path: string;
let environment: string;

beforeAll(async () => {
  home = await startInstallation();
  path = `/projects/${home.world.projectId}/envs/${home.world.environment}`;
  environment = `/projects/${home.world.projectId}/environments/${home.world.environment}`;
  await home.createPolicy(`apiVersion: policyguard/v1
kind: Policy
metadata: {name: words}
detectors: {words: {use: keywords, keywords: [forbidden]}}
rules: [{id: word, stages: [input], detect: words, action: BLOCK}]
`);
  await home.call("PATCH", environment, { required_approvals: 1 });
});

afterAll(() => home.stop());

/** A call with a token's value. */
async function callAs(token: string | undefined, method: string, rest: string, body?: object) {
  const answer = await fetch(`${home.url}/v1/orgs/${home.world.orgId}${rest}`, {
    method,
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body: body && JSON.stringify(body),
  });
  const text = await answer.text();
  return { status: answer.status, body: text === "" ? undefined : JSON.parse(text) };
}

const publishAs = async (token: string | undefined) => {
  const { body } = await callAs(token, "POST", `${path}/bundles/publish`, {});
  return `${path}/bundles/${body.version}`;
};

describe("a version published by a token", () => {
  it("is not approved by the person who issued the token, not even by way of another token, but by others", async () => {
    const owner = await tokenOf(home.world, "owner");
    const issue = async (by: string | undefined, kind: string, input: object) =>
      (await callAs(by, "POST", `/tokens/${kind}`, input)).body.token;
    const admin = await issue(owner, "admin", { name: "owner's" });
    const ci = await issue(admin, "ci", { name: "pipeline", project_id: home.world.projectId });
    for (const token of [owner, admin, ci]) {
      const version = await publishAs(token);
      expect(await callAs(owner, "POST", `${version}/approvals`)).toMatchObject({ status: 409 });
      expect(await callAs(await tokenOf(home.world, "editor"), "POST", `${version}/approvals`)).toMatchObject({
        status: 201,
      });
    }
  });

  it("is not approved by the person who rotated the token", async () => {
    const owner = await tokenOf(home.world, "owner");
    const ci = await home.call("POST", "/tokens/ci", { name: "rotated", project_id: home.world.projectId });
    const { body } = await callAs(owner, "POST", `/tokens/${ci.id}/rotate`, {});
    const version = await publishAs(body.token);
    expect(await callAs(owner, "POST", `${version}/approvals`)).toMatchObject({ status: 409 });
  });
});

async function activeVersion(): Promise<number | null> {
  const { environments } = await home.call("GET", `/projects/${home.world.projectId}/environments`);
  return environments.find(({ name }: { name: string }) => name === home.world.environment).active_version;
}

describe("an approval that is taken back while the version is activated", () => {
  it("either counted, and the version is active, or did not, and nothing changed", async () => {
    const editor = await tokenOf(home.world, "editor");
    for (let round = 0; round < 8; round++) {
      const before = await activeVersion();
      const version = await publishAs(home.world.tokens.admin);
      expect((await callAs(editor, "POST", `${version}/approvals`)).status).toBe(201);
      const [withdrawn, activated] = await Promise.all([
        callAs(editor, "DELETE", `${version}/approvals`),
        callAs(home.world.tokens.admin, "POST", `${version}/activate`, {}),
      ]);
      expect(withdrawn.status).toBe(204);
      expect([200, 409]).toContain(activated.status);
      const after = await activeVersion();
      expect(`${path}/bundles/${after}` === version).toBe(activated.status === 200);
      if (activated.status === 409) expect(after).toBe(before);
    }
  });

  it("is given once by a person who approves twice at the same moment", async () => {
    const editor = await tokenOf(home.world, "editor");
    const version = await publishAs(home.world.tokens.admin);
    const both = await Promise.all([1, 2].map(() => callAs(editor, "POST", `${version}/approvals`)));
    expect(both.map(({ status }) => status).sort()).toEqual([201, 409]);
    expect((await home.call("GET", version)).approvals).toHaveLength(1);
  });
});

describe("an approval of somebody who is no longer asked", () => {
  it.each([
    ["are made a viewer", "role", "viewer", "editor"],
    ["are deactivated", "state", "deactivated", "active"],
  ])("does not count once they %s, and counts again when that is taken back", async (_, column, changed, before) => {
    const { member_id: id } = await home.world.person("editor");
    const set = (value: string) =>
      home.plane.database.systemTransaction(home.world.orgId, (tx) =>
        tx.sql(`update member set ${column} = ? where id = ?`, [value, id]),
      );
    const version = await publishAs(home.world.tokens.admin);
    await callAs(await tokenOf(home.world, "editor"), "POST", `${version}/approvals`);
    await set(changed);
    expect(await home.call("GET", version)).toMatchObject({ approvals: [] });
    const refused = await callAs(home.world.tokens.admin, "POST", `${version}/activate`, {});
    expect(refused).toMatchObject({ status: 409, body: { detail: { required: 1, given: 0 } } });
    await set(before);
    expect((await callAs(home.world.tokens.admin, "POST", `${version}/activate`, {})).status).toBe(200);
  });

  it("does not count once they were removed", async () => {
    const person = await home.world.person("editor");
    const version = await publishAs(home.world.tokens.admin);
    await callAs(person.access_token, "POST", `${version}/approvals`);
    expect(
      (await callAs(await tokenOf(home.world, "owner"), "DELETE", `/team/members/${person.member_id}`)).status,
    ).toBe(204);
    expect((await callAs(home.world.tokens.admin, "POST", `${version}/activate`, {})).status).toBe(409);
  });
});

// Activations by several people at once, and the history that remains.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Installation, startInstallation } from "../../harness/process/installation.ts";

let home: Installation;
let path: string;

beforeAll(async () => {
  home = await startInstallation();
  path = `/projects/${home.world.projectId}/envs/${home.world.environment}`;
  for (let i = 0; i < 3; i++) await home.call("POST", `${path}/bundles/publish`, {});
});

afterAll(() => home.stop());

/** Activates a version, as the admin token. */
async function activate(version: number, body: object) {
  const answer = await fetch(`${home.url}/v1/orgs/${home.world.orgId}${path}/bundles/${version}/activate`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${home.world.tokens.admin}` },
    body: JSON.stringify(body),
  });
  return { status: answer.status, body: await answer.json() };
}

interface Entry {
  readonly activation_seq: number;
  readonly version: number;
  readonly previous_version: number | null;
  readonly message: string | null;
  readonly created_by: string;
  readonly is_in_force: boolean;
}

async function history(query = ""): Promise<{ readonly total: number; readonly activations: readonly Entry[] }> {
  return home.call("GET", `${path}/activations${query}`);
}

describe("activations that expect the same one to be in force", () => {
  it("are one that goes through and others that are told of it", async () => {
    for (let round = 0; round < 5; round++) {
      const expected = round;
      const tries = await Promise.all(
        [1, 2, 3, 1, 2].map(async (version, at) => ({
          message: `${round}/${at}`,
          ...(await activate(version, { expected_activation_seq: expected, message: `${round}/${at}` })),
        })),
      );
      const won = tries.filter(({ status }) => status === 200);
      expect(won).toHaveLength(1);
      const [winner] = won;
      const { activations, total } = await history();
      expect(total).toBe(round + 1);
      expect(activations[0]).toMatchObject({
        ...{ activation_seq: round + 1, version: winner?.body.version, message: winner?.message },
        is_in_force: true,
      });
      expect(activations.filter(({ is_in_force }) => is_in_force)).toHaveLength(1);
      const { created_by: who, version } = activations[0] ?? {};
      for (const lost of tries.filter(({ status }) => status !== 200)) {
        expect(lost).toMatchObject({
          status: 409,
          body: {
            detail: { error: "conflict", current_activation_seq: round + 1, current_version: winner?.body.version },
          },
        });
        const told = `activation ${round + 1} is in force in ${home.world.environment}: version ${version}, by ${who}`;
        expect(lost.body.detail.message).toContain(told);
      }
    }
  });

  it("leave a history whose pages name what each replaced, up to the first", async () => {
    const { activations, total } = await history();
    const pages = await Promise.all(
      Array.from({ length: total }, async (_, offset) => (await history(`?limit=1&offset=${offset}`)).activations),
    );
    expect(pages.flat()).toEqual(activations);
    expect(activations.map(({ previous_version }) => previous_version)).toEqual([
      ...activations.slice(1).map(({ version }) => version),
      null,
    ]);
  });
});

it("a message is kept as it was sent, in the history and in the log of evidence", async () => {
  const message = `<img src=x onerror=alert(1)> \u202e"quoted"\n${"é".repeat(1_000)}`;
  const { status, body } = await activate(1, { message });
  expect(status).toBe(200);
  expect((await history()).activations[0]).toMatchObject({ message, activation_seq: body.activation_seq });
  const { evidence } = await home.call("GET", "/evidence?action=bundle.activate&limit=1");
  expect(evidence[0].after).toMatchObject({ activation_message: message, activation_seq: body.activation_seq });
});

it("of what the release before this one activated, only what is certain is told", async () => {
  const forget = async () => {
    await home.plane.database.systemTransaction(home.world.orgId, (tx) =>
      tx.sql("update activation set cause = null, message = null, activated_at = null where org_id = ?", [tx.orgId]),
    );
    return (await history("?limit=3")).activations;
  };
  const times = new Map<number, string>();
  for (const version of [2, 3, 2]) times.set(version, (await activate(version, { message: "gone" })).body.activated_at);
  const unknown = { cause: null, message: null };
  expect(await forget()).toMatchObject([
    { version: 2, previous_version: 3, activated_at: times.get(2), is_in_force: true, ...unknown },
    { version: 3, previous_version: 2, activated_at: times.get(3), is_in_force: false, ...unknown },
    // The version has the time of its later activation.
    { version: 2, activated_at: null, ...unknown },
  ]);
  const bundle = await home.call("POST", `${path}/bundles/publish`, { activate: true, message: "at once" });
  const [newest, former] = await forget();
  expect(newest).toMatchObject({ cause: "publish", message: "at once", activated_at: bundle.activated_at });
  expect(former).toMatchObject({ version: 2, activated_at: times.get(2), ...unknown });
});

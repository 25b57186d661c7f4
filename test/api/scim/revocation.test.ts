// A person whom the directory deactivates is refused everywhere: with the answer at every control plane, and soon after
// at every runtime, which hears of revoked tokens by its stream. `npm run assurance -- scim-leavers` says how soon.

import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { reportSample, sampleOf } from "../../../scripts/assurance/sample.ts";
import { tokensChannel } from "../../../src/domain/channel.ts";
import { addToken } from "../../../src/domain/identity/token.ts";
import { eventually } from "../../harness/eventually.ts";
import { startTestControlPlane, type TestControlPlane } from "../../harness/process/control-plane.ts";
import { type Installation, startInstallation } from "../../harness/process/installation.ts";
import type { TestRuntime } from "../../harness/process/runtime.ts";
import { createPerson, type Person } from "../../harness/vector/person.ts";
import { policyOf } from "../../harness/vector/word-guard.ts";
import { caller } from "./directory.ts";

const { n } = sampleOf({ n: 3, seed: 1 });
/** How late anybody may refuse, where time is measured. */
const mostMs = 1_000;

let home: Installation;
let second: TestControlPlane;
let runtime: TestRuntime;

beforeAll(async () => {
  home = await startInstallation();
  const { urls } = home.plane;
  second = await startTestControlPlane({ urls, env: { POLICY_GUARD_MASTER_KEY: home.masterKey } });
  await home.createPolicy(policyOf("forbidden"));
  await home.publish();
  // The runtime listens to one control plane, the directory speaks to the other.
  runtime = await home.startRuntime({ url: second.baseUrl });
  await eventually(async () => expect((await runtime.evaluate({ text: "fine" })).status).toBe(200));
});

afterAll(async () => {
  await second.stop();
  await home.stop();
});

interface Leaver extends Person {
  readonly admin: string;
}

async function hire(): Promise<Leaver> {
  const { orgId } = home.world;
  const person = await createPerson(home.plane.database, { orgId, role: "admin" });
  return home.plane.database.systemTransaction(orgId, async (tx) => {
    const author = { label: person.email, accountId: person.account_id, tokenId: null };
    const { value } = await addToken(tx, author, "admin", { name: "theirs" });
    await tx.notify(tokensChannel, {});
    return { ...person, admin: value };
  });
}

/** The status of a call at each place, by everything that the person holds. */
function doors({ access_token: session, admin }: Leaver) {
  const read = (at: TestControlPlane, token: string) => async () => {
    const headers = { authorization: `Bearer ${token}` };
    return (await fetch(`${at.baseUrl}/v1/orgs/${home.world.orgId}`, { headers })).status;
  };
  return {
    ...{ own_session: read(home.plane, session), other_session: read(second, session) },
    ...{ own_token: read(home.plane, admin), other_token: read(second, admin) },
    runtime: async () => (await runtime.evaluate({ text: "fine" }, { token: admin })).status,
  };
}

test("a leaver is refused at two control planes and at a runtime", async () => {
  const { orgId } = home.world;
  const call = caller(home.plane, orgId, await home.world.directory("scim"));
  const worst: Record<string, number> = {};
  for (let done = 0; done < n; done++) {
    const leaver = await hire();
    const places = Object.entries(doors(leaver));
    // No runtime evaluates for an admin token, but it knows the token, until it is told to forget it.
    const known = (name: string) => (name === "runtime" ? 403 : 200);
    for (const [name, status] of places) await eventually(async () => expect(await status()).toBe(known(name)));
    const body = { Operations: [{ op: "replace", value: { active: false } }] };
    expect((await call("PATCH", `/Users/${leaver.member_id}`, body)).status).toBe(200);
    const answered = performance.now();
    await Promise.all(
      places.map(async ([name, status]) => {
        while ((await status()) !== 401) await sleep(2);
        worst[name] = Math.max(worst[name] ?? 0, performance.now() - answered);
      }),
    );
    // The runtime's own token stays: a leaver switches off no guard.
    expect((await runtime.evaluate({ text: "forbidden" })).body.blocked).toBe(true);
  }
  const figures = Object.fromEntries(Object.entries(worst).map(([name, ms]) => [`${name}_worst_ms`, Math.round(ms)]));
  reportSample({ n, failures: Object.values(figures).filter((ms) => ms > mostMs).length, figures });
});

// A control plane that is away for hours, by a clock that is moved: the runtime goes on enforcing, and everything that
// it made comes back exactly once, at the hour when it was made. `npm run assurance -- outage` is away for 24 hours.

import { afterAll, beforeAll, expect, it } from "vitest";
import { reportSample, sampleOf } from "../../scripts/assurance/sample.ts";
import { newId } from "../../src/kit/process/id.ts";
import { eventually } from "../harness/eventually.ts";
import { createRunningClock, type MovedClock } from "../harness/moved-clock.ts";
import { type Installation, startInstallation } from "../harness/process/installation.ts";

const { n: hours } = sampleOf({ n: 2, seed: 1 });
const perHour = 100;
const hourMs = 3_600_000;
const policy = `apiVersion: policyguard/v1
kind: Policy
metadata: {name: words}
detectors: {words: {use: keywords, keywords: [forbidden]}}
rules: [{id: word, stages: [input], detect: words, action: BLOCK}]
`;

let home: Installation;
let clock: MovedClock;

beforeAll(async () => {
  clock = createRunningClock();
  home = await startInstallation({ clock });
  await home.createPolicy(policy);
  await home.publish();
});

afterAll(() => home.stop());

it(`${hours} hours without the control plane are replayed completely, each evaluation once and in its hour`, async () => {
  const runtime = await home.startRuntime({ clock });
  await eventually(async () => expect((await runtime.loaded()).bundle?.version).toBe(1));
  await home.stopControlPlane();
  const made = new Map<string, number>();
  for (let hour = 0; hour < hours; hour++) {
    for (let i = 0; i < perHour; i++) {
      const id = newId();
      const { status, body } = await runtime.evaluate({ evaluation_id: id, text: "a forbidden word" });
      expect([status, body.blocked]).toEqual([200, true]);
      made.set(id, clock.now().getTime());
    }
    clock.pass(hourMs);
  }
  expect(await runtime.metric("spool_records")).toBe(made.size);
  const startedAtMs = performance.now();
  await home.startControlPlane();
  await eventually(async () => expect(await runtime.metric("spool_records")).toBe(0), 120_000);
  const replayMs = performance.now() - startedAtMs;
  const stored = await home.plane.database.read(home.world.orgId, (tx) =>
    tx.sql<{ id: string; created_at: Date }>("select id, created_at from trace where org_id = ?", [home.world.orgId]),
  );
  const wrong = stored.filter(({ id, created_at }) => Math.abs((made.get(id) ?? 0) - created_at.getTime()) > 5_000);
  const failures =
    wrong.length + Math.abs(stored.length - made.size) + (made.size - new Set(stored.map(({ id }) => id)).size);
  expect(failures).toBe(0);
  expect((await home.call("GET", "/usage")).evaluations).toBeGreaterThan(0);
  expect(await runtime.metric("spool_lost_total")).toBe(0);
  reportSample({ n: hours, failures, figures: { evaluations: made.size, replay_ms: Math.round(replayMs) } });
});

// kill -9 of each process under load. Whatever a caller was told is so afterwards, and is told once.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { seededRandom } from "../../runtime/engine/authoring/seeded-random.ts";
import { reportSample, sampleOf } from "../../scripts/assurance/sample.ts";
import { type KillWorld, startKillWorld, type Victim } from "../harness/process/kill-world.ts";

const { n, seed } = sampleOf({ n: 1, seed: 1 });
/**
 * A kill takes about five seconds: the process starts anew, and those that called it come back after a pause. Machines
 * are shared.
 */
const timeoutMs = 120_000 + 15_000 * n;
/** After so many kills it is looked at what holds, so that a failure names a short stretch. */
const roundKills = 10;

let world: KillWorld;

beforeAll(async () => {
  world = await startKillWorld();
});

afterAll(() => world.stop());

describe("kill -9 under load", () => {
  it.each([
    ["a runtime", "runtime"],
    ["a control plane", "controlPlane"],
    ["a worker", "worker"],
  ] as const)(
    "%s that is killed loses and doubles nothing of what was answered",
    async (_, victim) => {
      const wrong = await killTimes(victim);
      reportSample({ n, failures: wrong.length });
      expect(wrong).toEqual([]);
    },
    timeoutMs,
  );
});

async function killTimes(victim: Victim): Promise<string[]> {
  const random = seededRandom(seed);
  const wrong: string[] = [];
  for (let done = 0; done < n; done += roundKills) {
    wrong.push(...(await world.killUnderLoad(victim, Math.min(roundKills, n - done), random)));
  }
  return wrong;
}

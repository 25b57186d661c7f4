// A fleet under load whose members come and go. Here two control planes and two runtimes of this process and a worker, of
// which one each is replaced. `npm run assurance -- fleet --previous FOLDER` takes the whole of it:
// all processes drained, killed and stopped in turn, the database restarted, and another release before and after.

import { afterAll, beforeAll, expect, it } from "vitest";
import { seededRandom } from "../../runtime/engine/authoring/seeded-random.ts";
import { isAssurance, previousRelease, reportSample, sampleOf } from "../../scripts/assurance/sample.ts";
import { type Fleet, startFleet } from "../harness/process/fleet-world.ts";

const { n, seed } = sampleOf({ n: 300, seed: 1 });
const isWhole = isAssurance();
const small = { controlPlanes: 2, workers: 1, runtimes: 2, limitedRuntimes: 0, processes: 1 };
const whole = { controlPlanes: 3, workers: 2, runtimes: 2, limitedRuntimes: 2, processes: 2 };
const frozenMs = 20_000;
const timeoutMs = isWhole ? 3 * 3_600_000 : 900_000;

let fleet: Fleet;

beforeAll(async () => {
  const previous = previousRelease();
  fleet = await startFleet(
    {
      ...(isWhole ? whole : small),
      ...{ previous, isReal: isWhole, drainDelayMs: isWhole ? 2_000 : 500 },
      // A small fleet has nobody who hangs, and the machine may be slow.
      ...(isWhole ? { pollMs: 200, probeTimeoutMs: 2_000 } : { pollMs: 50, probeTimeoutMs: 60_000 }),
    },
    seededRandom(seed),
  );
}, timeoutMs);

afterAll(() => fleet?.stop(), 120_000);

it(
  "no planned call fails while processes are replaced, and nothing that was answered is lost or doubled",
  async () => {
    const recoveryMs: number[] = [];
    const { members } = fleet;
    // The small form takes a control plane and a runtime.
    const turn = isWhole ? members : members.filter(({ name }) => /^(control plane|runtime) 1$/.test(name));
    const rounds = previousRelease() === undefined ? 1 : 3;
    const callsEach = Math.ceil(n / (rounds * turn.length));
    if (isWhole) await fleet.migrate();
    await fleet.replace(turn, "this", callsEach);
    if (isWhole) {
      if (rounds > 1) await fleet.replace(turn, "this", callsEach);
      await fleet.killAll();
      await fleet.freezeAll(frozenMs);
      recoveryMs.push(await fleet.restartDatabase());
      if (rounds > 1) await fleet.replace(turn, "first", callsEach);
    }
    const { wrong, excess, figures } = await fleet.settle();
    const { calls, repeated, overloaded, failed } = fleet.calls.total("planned");
    const unplanned = fleet.calls.total("unplanned");
    reportSample({
      n: calls,
      failures: failed + wrong.length + excess,
      figures: {
        ...{ ...figures, repeated, overloaded, unplanned_calls: unplanned.calls, unplanned_failed: unplanned.failed },
        ...(recoveryMs[0] !== undefined && { recovery_ms: Math.round(recoveryMs[0]) }),
      },
    });
    expect(wrong).toEqual([]);
    expect(fleet.calls.failures).toEqual([]);
    expect(excess).toBe(0);
    if (isWhole || fleet.disorders.length > 0) console.log(fleet.disorders.join("\n"), ...fleet.calls.counts.planned);
  },
  timeoutMs,
);

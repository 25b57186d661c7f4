import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { Reason } from "../../../gen/policyguard/common/v1/reason_pb.ts";
import { OneAtATime } from "../../../src/platform/one-at-a-time.ts";

/** A work that goes on until it is told to end. */
function work() {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const seen = { hasBegun: false };
  const run = () => {
    seen.hasBegun = true;
    return promise;
  };
  return { seen, run, end: resolve, fail: reject };
}

describe("one work at a time", () => {
  it("begins the next when one has ended, however it ended", async () => {
    const turns = new OneAtATime();
    const [first, second, third] = [work(), work(), work()];
    const done = [first, second, third].map(({ run }, at) => turns.run(`org ${at}`, run));
    await nextTurn();
    expect([first, second, third].map(({ seen }) => seen.hasBegun)).toEqual([true, false, false]);
    first.fail(new Error("broken"));
    await expect(done[0]).rejects.toThrow("broken");
    await nextTurn();
    expect([second, third].map(({ seen }) => seen.hasBegun)).toEqual([true, false]);
    second.end();
    await done[1];
    third.end();
    await done[2];
    expect(third.seen.hasBegun).toBe(true);
  });

  it("refuses an organization that has two waiting, and nobody else", async () => {
    const turns = new OneAtATime();
    const [busy, other] = [work(), work()];
    const done = [turns.run("a", busy.run)];
    await nextTurn();
    done.push(
      turns.run("a", async () => undefined),
      turns.run("a", async () => undefined),
    );
    await expect(turns.run("a", async () => undefined)).rejects.toMatchObject({ reason: Reason.OVERLOADED });
    done.push(turns.run("b", other.run));
    busy.end();
    other.end();
    await Promise.all(done);
    expect(await turns.run("a", async () => "again")).toBe("again");
  });

  it("does nothing for somebody who has gone", async () => {
    const turns = new OneAtATime();
    const [busy, unwanted] = [work(), work()];
    const first = turns.run("a", busy.run);
    const gone = new AbortController();
    const second = turns.run("b", unwanted.run, gone.signal);
    gone.abort(new Error("gone"));
    busy.end();
    await first;
    await expect(second).rejects.toThrow("gone");
    expect(unwanted.seen.hasBegun).toBe(false);
  });
});

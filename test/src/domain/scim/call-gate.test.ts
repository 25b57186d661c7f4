import { expect, test } from "vitest";
import { Reason } from "../../../../gen/policyguard/common/v1/reason_pb.ts";
import { CallGate, maxCallsAtOnce } from "../../../../src/domain/scim/call-gate.ts";

/** Fills the lane of an organization with calls that work until they are let go. */
function fill(gate: CallGate, orgId: string) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const calls = Array.from({ length: maxCallsAtOnce }, () => gate.run(orgId, () => promise));
  return { calls, letGo: resolve };
}

test("beyond eight calls of one organization the next is refused after its wait, and those of others go on", async () => {
  const gate = new CallGate({ waitMs: 10 });
  const { calls, letGo } = fill(gate, "a");
  await expect(gate.run("a", async () => "turn")).rejects.toMatchObject({
    reason: Reason.OVERLOADED,
    headers: { "Retry-After": "5" },
  });
  expect(await gate.run("b", async () => "turn")).toBe("turn");
  letGo();
  await Promise.all(calls);
  expect(await gate.run("a", async () => "turn")).toBe("turn");
});

test("who waits gets the first place that is free, whether the call before it succeeded or failed", async () => {
  const gate = new CallGate({ waitMs: 600_000 });
  const { calls, letGo } = fill(gate, "a");
  const order: number[] = [];
  const waiting = [1, 2, 3].map((n) =>
    gate.run("a", async () => {
      order.push(n);
      if (n === 1) throw new Error("failed");
    }),
  );
  expect(order).toEqual([]);
  letGo();
  await Promise.allSettled([...calls, ...waiting]);
  expect(order).toEqual([1, 2, 3]);
});

test("a directory has no endless queue: beyond two hundred that wait, a call is refused at once", async () => {
  const gate = new CallGate({ waitMs: 600_000 });
  const { calls, letGo } = fill(gate, "a");
  const waiting = Array.from({ length: 200 }, () => gate.run("a", async () => undefined));
  await expect(gate.run("a", async () => undefined)).rejects.toThrow("too many calls of this directory at once");
  letGo();
  await Promise.all([...calls, ...waiting]);
});

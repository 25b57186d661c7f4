import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Stage } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { emptyLedger, type SessionUpdate, type VaultEntry } from "../../../runtime/engine/segment/session.ts";
import { maxVaultUnits, SessionStore } from "../../../runtime/session/session-store.ts";

const update: SessionUpdate = { ...emptyLedger, turns: 1, seen: ["input/untrusted"] };
const hour = 3_600_000;
const entry = (number: number, original = "ada@lovelace.dev", ttlMs?: number): VaultEntry => ({
  placeholder: `[EMAIL_${number}]`,
  original,
  category: "pii.email",
  ttlMs,
});

function change(stage: Stage, vault: readonly VaultEntry[] = [], evaluationId?: string) {
  return { stage, evaluationId, update, vault };
}

describe("sessions", () => {
  it("start with an evaluation at the stage input, and are unknown when they start at another", () => {
    const store = new SessionStore({ count: 10, ttlMs: hour });
    expect(store.view("a", Stage.INPUT, 0)).toMatchObject({ known: true, ledger: emptyLedger });
    expect(store.view("b", Stage.TOOL_CALL, 0).known).toBe(false);
    store.add("b", change(Stage.TOOL_CALL), 0);
    store.add("b", change(Stage.INPUT), 1);
    expect(store.view("b", Stage.INPUT, 2)).toMatchObject({ known: false, ledger: { turns: 2 } });
  });

  it("end when they were not used for their time to live", () => {
    const store = new SessionStore({ count: 10, ttlMs: hour });
    store.add("a", change(Stage.INPUT, [entry(1)]), 0);
    store.add("a", change(Stage.INPUT), hour - 1);
    expect(store.view("a", Stage.TOOL_CALL, 2 * hour - 2).ledger.turns).toBe(2);
    expect(store.view("a", Stage.TOOL_CALL, 2 * hour - 1).known).toBe(false);
    expect(store.originals("a", 2 * hour)).toBeUndefined();
    store.expire(2 * hour);
    expect(store.status()).toEqual({ count: 0, units: 0, evicted: 0 });
  });

  it("count a retry once", () => {
    const store = new SessionStore({ count: 10, ttlMs: hour });
    for (let i = 0; i < 3; i++) store.add("a", change(Stage.INPUT, [], "e1"), i);
    store.add("a", change(Stage.INPUT, [], "e2"), 5);
    expect(store.view("a", Stage.INPUT, 6).ledger.turns).toBe(2);
  });

  it("that were dropped early do not count as new ones", () => {
    const store = new SessionStore({ count: 2, ttlMs: hour });
    for (const id of ["a", "b", "c"]) store.add(id, change(Stage.INPUT), 0);
    expect(store.status()).toMatchObject({ count: 2, evicted: 1 });
    expect(store.view("a", Stage.INPUT, 1).known).toBe(false);
    expect(store.view("c", Stage.INPUT, 1).known).toBe(true);
  });

  it("keep originals as long as the policy allows, and no longer than the session", () => {
    const store = new SessionStore({ count: 2, ttlMs: hour });
    store.add("a", change(Stage.INPUT, [entry(1, "x", 1000), entry(2, "y", 10 * hour)]), 0);
    expect(store.originals("a", 999)?.size).toBe(2);
    expect([...(store.originals("a", 1000) ?? [])]).toEqual([["[EMAIL_2]", "y"]]);
    store.add("a", change(Stage.INPUT), hour - 1);
    expect(store.originals("a", hour)?.size).toBe(0);
  });

  it("keep the newest originals that fit", () => {
    const store = new SessionStore({ count: 2, ttlMs: hour });
    const long = "x".repeat(maxVaultUnits / 2 - 20);
    for (let i = 1; i <= 3; i++) store.add("a", change(Stage.INPUT, [entry(i, long)]), i);
    expect([...(store.originals("a", 4)?.keys() ?? [])]).toEqual(["[EMAIL_2]", "[EMAIL_3]"]);
  });

  it("never take more room than their limits, and count it right", () => {
    const step = fc.record({
      id: fc.constantFrom("a", "b", "c", "d", "e"),
      vault: fc.array(fc.tuple(fc.nat(5), fc.string({ maxLength: 20 })), { maxLength: 3 }),
      afterMs: fc.nat(hour / 2),
      stage: fc.constantFrom(Stage.INPUT, Stage.OUTPUT),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const store = new SessionStore({ count: 3, ttlMs: hour });
        let nowMs = 0;
        for (const { id, vault, afterMs, stage } of steps) {
          nowMs += afterMs;
          store.add(
            id,
            change(
              stage,
              vault.map(([number, text]) => entry(number, text)),
            ),
            nowMs,
          );
          expect(store.status().count).toBeLessThanOrEqual(3);
          expect(store.view(id, stage, nowMs).ledger.turns).toBeGreaterThan(0);
        }
        store.expire(nowMs + hour);
        expect(store.status()).toMatchObject({ count: 0, units: 0 });
      }),
      { numRuns: 1000, seed: 5 },
    );
  });
});

import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { beforeEach, describe, expect, it } from "vitest";
import { LeaseWish, QuotaSchema, QuotaState } from "../../../gen/policyguard/runtime/v1/reporting_service_pb.ts";
import { QuotaLeases } from "../../../runtime/control-plane/quota-leases.ts";

const start = new Date("2026-11-12T10:00:00Z");
const later = (ms: number) => new Date(start.getTime() + ms);

describe("QuotaLeases", () => {
  let isConnected: boolean;
  let acked: number;
  let lows: number;
  let book: QuotaLeases;

  beforeEach(() => {
    isConnected = true;
    acked = 0;
    lows = 0;
    book = new QuotaLeases({
      isConnected: () => isConnected,
      onLow: () => void lows++,
      spool: () => ({ firstSeq: acked + 1, nextSeq: 100 }),
    });
  });

  const month = (begin: string, end: string) => ({
    startsAt: timestampFromDate(new Date(begin)),
    endsAt: timestampFromDate(new Date(end)),
  });
  const november = month("2026-11-01T00:00:00Z", "2026-12-01T00:00:00Z");
  const december = month("2026-12-01T00:00:00Z", "2027-01-01T00:00:00Z");
  const answer = (state: QuotaState, leases: { leaseId: string; size: number; in?: typeof november }[] = []) =>
    book.replace(
      create(QuotaSchema, {
        state,
        leases: leases.map(({ leaseId, size, in: place = november }) => ({ leaseId, size, ...place })),
        limit: 10_000,
        used: 9_990,
        resetsAt: november.endsAt,
      }),
    );
  const refusal = (now = start) => {
    try {
      return book.take(now);
    } catch (error) {
      return error;
    }
  };

  it("says whether it waits for its next share, or the plan has no more", () => {
    answer(QuotaState.LEASED, [{ leaseId: "a", size: 1 }]);
    book.take(start);
    expect(String(refusal())).toContain("try again in a second");
    answer(QuotaState.EXHAUSTED);
    expect(String(refusal())).toContain("are used up, or leased to other runtimes, until 2026-12-01");
  });

  it("goes on without a lease until the control plane has answered", () => {
    expect(book.take(start)).toBe("");
    expect(book.wish(start)).toBe(LeaseWish.NOW);
  });

  it("takes exactly what was granted, and refuses from then on while it is connected", () => {
    answer(QuotaState.LEASED, [{ leaseId: "a", size: 3 }]);
    expect([book.take(start), book.take(start), book.take(start)]).toEqual(["a", "a", "a"]);
    expect(refusal()).toMatchObject({
      extra: { limit: 10_000, used: 9_990, resets_at: "2026-12-01T00:00:00Z" },
    });
    expect(book.left).toBe(0);
  });

  it("asks for the next lease once, when less than a third is left", () => {
    answer(QuotaState.LEASED, [{ leaseId: "a", size: 10 }]);
    for (let i = 0; i < 6; i++) book.take(start);
    expect([lows, book.wish(start)]).toEqual([0, LeaseWish.UNSPECIFIED]);
    for (let i = 0; i < 4; i++) book.take(start);
    expect([lows, book.wish(start)]).toEqual([1, LeaseWish.NOW]);
  });

  it("does not ask repeatedly while the plan is exhausted: each status asks once", () => {
    answer(QuotaState.EXHAUSTED);
    for (let i = 0; i < 50; i++) refusal();
    expect([lows, book.wish(start)]).toEqual([0, LeaseWish.NOW]);
  });

  it("keeps the rest of a lease that is named again, and drops one that is not", () => {
    answer(QuotaState.LEASED, [{ leaseId: "a", size: 10 }]);
    for (let i = 0; i < 4; i++) book.take(start);
    answer(QuotaState.LEASED, [
      { leaseId: "a", size: 10 },
      { leaseId: "b", size: 5 },
    ]);
    expect(book.left).toBe(11);
    answer(QuotaState.LEASED, [{ leaseId: "b", size: 5 }]);
    expect([book.left, book.take(start)]).toEqual([5, "b"]);
  });

  it("uses its leases for a minute without the control plane, and goes on without them after that", () => {
    answer(QuotaState.LEASED, [{ leaseId: "a", size: 10 }]);
    isConnected = false;
    expect([book.take(start), book.take(later(59_000))]).toEqual(["a", "a"]);
    expect(book.take(later(61_000))).toBe("");
    isConnected = true;
    book.reconnecting();
    expect(book.take(later(62_000))).toBe("");
    answer(QuotaState.LEASED, [{ leaseId: "a", size: 10 }]);
    expect(book.take(later(63_000))).toBe("a");
  });

  it("never refuses while the control plane cannot be reached", () => {
    for (const state of [QuotaState.EXHAUSTED, QuotaState.BLOCKED, QuotaState.LEASED]) {
      isConnected = true;
      answer(state);
      expect(refusal()).toBeInstanceOf(Error);
      isConnected = false;
      expect(book.take(start)).toBe("");
    }
  });

  it("refuses with another reason while the bill is open", () => {
    answer(QuotaState.BLOCKED);
    expect(String(refusal())).toContain("bill");
    expect(book.wish(start)).toBe(LeaseWish.UNSPECIFIED);
  });

  it("needs no leases under a plan without a limit", () => {
    answer(QuotaState.UNLIMITED);
    expect([book.take(start), book.wish(start)]).toEqual(["", LeaseWish.UNSPECIFIED]);
  });

  it("passes from one month to the next at midnight in UTC", () => {
    answer(QuotaState.LEASED, [{ leaseId: "a", size: 10 }]);
    expect(book.wish(new Date("2026-11-30T23:58:59Z"))).toBe(LeaseWish.UNSPECIFIED);
    expect(book.wish(new Date("2026-11-30T23:59:01Z"))).toBe(LeaseWish.NEXT_MONTH);
    answer(QuotaState.LEASED, [
      { leaseId: "a", size: 10 },
      { leaseId: "b", size: 10, in: december },
    ]);
    expect(book.take(new Date("2026-11-30T23:59:59.999Z"))).toBe("a");
    expect(book.take(new Date("2026-12-01T00:00:00Z"))).toBe("b");
  });

  it("names a used up lease until its evaluations are acknowledged", () => {
    answer(QuotaState.LEASED, [{ leaseId: "a", size: 1 }]);
    book.take(start);
    expect(book.held()).toEqual(["a"]);
    acked = 200;
    expect(book.held()).toEqual([]);
  });

  it("takes back the lease of an evaluation that failed", () => {
    answer(QuotaState.LEASED, [{ leaseId: "a", size: 1 }]);
    book.giveBack(book.take(start));
    expect(book.take(start)).toBe("a");
  });
});

import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { Bundle } from "../../../gen/policyguard/bundle/v1/bundle_pb.ts";
import type { Ratchet, VerifiedActivation } from "../../../runtime/bundle/activation.ts";
import {
  type BundlePoller,
  createBundlePoller,
  type PollAnswer,
  type PollRequest,
} from "../../../runtime/bundle/poll.ts";
import type { BundleRejection } from "../../../runtime/bundle/rejection.ts";
import type { VerifiedBundle } from "../../../runtime/bundle/verify.ts";
import { etagOf } from "../../../src/kit/bundle/entity-tag.ts";
import { newSigningKey, trustKeys } from "../../../src/kit/crypto/signing-key.ts";
import { encodeStatement } from "../../../src/kit/crypto/statement.ts";
import { hours, now, scope, signedBundle, signer } from "./signed-bundle.ts";

/** A control plane that answers when the test says so, and a poller that asks it. */
class Rig {
  readonly asked: PollRequest[] = [];
  readonly slept: number[] = [];
  readonly adopted: VerifiedBundle[] = [];
  readonly refreshed: VerifiedActivation[] = [];
  readonly rejected: BundleRejection[] = [];
  readonly failed: unknown[] = [];
  adopt: (bundle: VerifiedBundle) => Promise<void> = async () => {};
  #answer: ((answer: Promise<PollAnswer>) => void) | undefined;
  #wake: (() => void) | undefined;
  #timeMs = now.getTime();
  poller: BundlePoller;

  constructor(start: { ratchet: Ratchet | undefined; isInForce: boolean } = { ratchet: undefined, isInForce: false }) {
    this.poller = createBundlePoller({
      client: (request) => this.#client(request),
      root: () => ({ trust: trustKeys([signer.publicJwk]), serial: 0, revoked: new Set() }),
      renewKeys: async () => undefined,
      takeKeys: async () => undefined,
      scope,
      runtimeVersion: "1.0.0",
      maxBytes: 1 << 20,
      start,
      adopt: async (bundle) => {
        await this.adopt(bundle);
        this.adopted.push(bundle);
      },
      refresh: async (activation) => void this.refreshed.push(activation),
      onRejection: (rejection) => void this.rejected.push(rejection),
      onError: (error) => void this.failed.push(error),
      clock: { now: () => new Date(this.#timeMs) },
      intervalMs: 10_000,
      waitSeconds: 25,
      random: () => 0.5,
      sleep: (delayMs, signal) => this.#sleep(delayMs, signal),
    });
    onTestFinished(() => this.poller.stop());
  }

  #client(request: PollRequest): Promise<PollAnswer> {
    this.asked.push(request);
    return new Promise((resolve, reject) => {
      this.#answer = resolve;
      request.signal.addEventListener("abort", () => reject(request.signal.reason));
    });
  }

  #sleep(delayMs: number, signal: AbortSignal): Promise<void> {
    this.slept.push(delayMs);
    return new Promise((resolve, reject) => {
      this.#wake = resolve;
      signal.addEventListener("abort", () => reject(signal.reason));
    });
  }

  /** Answers the question that is open, after so much time, and lets the poller go on until it waits again. */
  async answer(answer: PollAnswer | Error, afterMs = 0): Promise<void> {
    this.#timeMs += afterMs;
    const { waits } = this;
    this.#answer?.(answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer));
    await this.#waitsAgain(waits);
  }

  /** Ends the sleep. */
  async wake(): Promise<void> {
    this.#timeMs += this.slept.at(-1) ?? 0;
    const { waits } = this;
    this.#wake?.();
    await this.#waitsAgain(waits);
  }

  /** How often the poller has waited: verification takes as long as it takes. */
  get waits(): number {
    return this.asked.length + this.slept.length;
  }

  async #waitsAgain(before: number): Promise<void> {
    await vi.waitUntil(() => this.waits > before, { timeout: 20_000, interval: 1 });
    await this.settle();
  }

  async settle(): Promise<void> {
    let before = -1;
    for (let quiet = 0; quiet < 160; quiet++) {
      const happened = this.asked.length + this.slept.length + this.adopted.length + this.rejected.length;
      if (happened !== before) quiet = 0;
      before = happened;
      await turn();
    }
  }
}

const full = (bundle: Bundle): PollAnswer => ({ notModified: false, bundle });
const unchanged = ({ activation }: Bundle): PollAnswer => ({
  notModified: true,
  activation: encodeStatement(activation ?? { payload: "", signatures: [] }),
});
const first = await signedBundle({ seq: 1 });
const second = await signedBundle({ seq: 2, version: 2 });

describe("the bundle poller", () => {
  it("adopts the first bundle and asks again at once, by its entity tag", async () => {
    const rig = new Rig();
    await rig.answer(full(first));
    const [bundle] = rig.adopted;
    expect(rig.asked.map(({ ifNoneMatch }) => ifNoneMatch)).toEqual([undefined, etagOf(bundle?.digest ?? "", 1)]);
    expect(rig.asked.map(({ waitSeconds }) => waitSeconds)).toEqual([25, 25]);
    expect(rig.slept).toEqual([]);
  });

  it("takes over the fresh activation of a 304", async () => {
    const rig = new Rig();
    await rig.answer(full(first));
    await rig.answer(unchanged(await signedBundle({ seq: 1, activation: { expires_at: hours(200) } })), 25_000);
    expect(rig.refreshed.map(({ payload }) => payload.expires_at)).toEqual([hours(200)]);
    expect(rig.slept, "a long poll is followed by the next").toEqual([]);
  });

  it("keeps its interval when the server does not wait", async () => {
    const rig = new Rig();
    await rig.answer(full(first));
    await rig.answer(unchanged(first), 1000);
    expect(rig.slept).toEqual([9000]);
    await rig.wake();
    expect(rig.asked).toHaveLength(3);
  });

  it("does not adopt the same bundle twice when the server ignores the entity tag", async () => {
    const rig = new Rig();
    await rig.answer(full(first));
    await rig.answer(full(first));
    expect([rig.adopted.length, rig.refreshed.length]).toEqual([1, 1]);
    expect(rig.slept).toEqual([10_000]);
  });

  it("sends the entity tag of the bundle from disk", async () => {
    const digest = `sha256:${"a".repeat(64)}`;
    const rig = new Rig({ ratchet: { activationSeq: 3, digest, kids: [signer.kid] }, isInForce: true });
    await rig.settle();
    expect(rig.asked[0]?.ifNoneMatch).toBe(etagOf(digest, 3));
  });

  it("asks for the whole bundle when only the ratchet survived, and adopts it though its number is the same", async () => {
    const rig = new Rig();
    await rig.answer(full(first));
    const ratchet = rig.adopted[0]?.activation.ratchet;
    const again = new Rig({ ratchet, isInForce: false });
    await again.answer(full(first));
    expect(again.asked[0]?.ifNoneMatch).toBeUndefined();
    expect(again.adopted).toHaveLength(1);
  });

  it("keeps the bundle in force when a replayed one comes, reports it, and asks for the whole bundle again later", async () => {
    const rig = new Rig();
    await rig.answer(full(second));
    await rig.answer(full(first));
    expect(rig.adopted.map(({ manifest }) => manifest.version)).toEqual([2]);
    expect(rig.rejected.map(({ reason }) => reason)).toEqual(["replayed_sequence"]);
    expect(rig.slept).toHaveLength(1);
    await rig.wake();
    expect(rig.asked.at(-1)?.ifNoneMatch).toBeUndefined();
    await rig.answer(full(second));
    expect(rig.refreshed).toHaveLength(1);
    await rig.wake();
    expect(rig.asked.at(-1)?.ifNoneMatch).toBeDefined();
  });

  it.each<[string, string, () => Promise<PollAnswer>]>([
    ["an older activation", "replayed_sequence", async () => unchanged(first)],
    ["a newer activation", "equivocation", async () => unchanged(await signedBundle({ seq: 3, version: 3 }))],
    ["another bundle's", "equivocation", async () => unchanged(await signedBundle({ seq: 2, version: 5 }))],
    [
      "an expired activation",
      "expired",
      async () => unchanged(await signedBundle({ seq: 2, version: 2, activation: { expires_at: hours(-1) } })),
    ],
    [
      "a stranger's signature",
      "unknown_kid",
      async () => unchanged(await signedBundle({ seq: 2, version: 2, keys: [newSigningKey()] })),
    ],
    ["no activation", "malformed", async () => ({ notModified: true, activation: "" })],
  ])("does not believe a 304 with %s", async (_, reason, answer) => {
    const rig = new Rig();
    await rig.answer(full(second));
    await rig.answer(await answer());
    expect(rig.refreshed).toEqual([]);
    expect(rig.rejected.map((rejection) => rejection.reason)).toEqual([reason]);
  });

  it("reports a bundle that does not compile, and offers it again later", async () => {
    const rig = new Rig();
    rig.adopt = async () => {
      throw new Error("rule r1 does not compile");
    };
    await rig.answer(full(first));
    expect(rig.rejected[0]?.reason).toBe("not_adopted");
    expect(rig.rejected[0]?.message).toContain("rule r1 does not compile");
    rig.adopt = async () => {};
    await rig.wake();
    await rig.answer(full(first));
    expect(rig.adopted).toHaveLength(1);
  });

  it("backs off from 0.1 to 30 seconds while the control plane is away, and recovers", async () => {
    const rig = new Rig();
    for (let i = 0; i < 12; i++) {
      await rig.answer(new Error("connection refused"));
      await rig.wake();
    }
    expect(rig.failed).toHaveLength(12);
    expect(rig.slept[0]).toBe(150);
    expect(rig.slept.at(-1)).toBe(15_050);
    expect(
      rig.slept.every((delayMs, i) => delayMs >= 100 && delayMs <= 30_000 && delayMs >= (rig.slept[i - 1] ?? 0)),
    ).toBe(true);
    await rig.answer(full(first));
    await rig.answer(new Error("connection refused"));
    expect(rig.slept.at(-1)).toBe(150);
  });

  it("asks at once when nudged, without waiting and without counting it as a failure", async () => {
    const rig = new Rig();
    await rig.answer(full(first));
    rig.poller.nudge();
    await rig.settle();
    expect(rig.asked).toHaveLength(3);
    expect(rig.asked[2]?.waitSeconds).toBe(0);
    expect([rig.failed, rig.slept]).toEqual([[], []]);
    await rig.answer(full(second));
    expect(rig.adopted).toHaveLength(2);
    expect(rig.asked[3]?.waitSeconds).toBe(25);
  });

  it("does not abort the answer to a nudge at the next nudge, and asks again after it", async () => {
    const rig = new Rig();
    await rig.answer(full(first));
    for (let i = 0; i < 5; i++) rig.poller.nudge();
    await rig.settle();
    rig.poller.nudge();
    rig.poller.nudge();
    await rig.settle();
    expect(rig.asked).toHaveLength(3);
    await rig.answer(unchanged(first));
    expect(rig.asked).toHaveLength(4);
    expect(rig.asked[3]?.waitSeconds).toBe(0);
  });

  it("is woken from its sleep by a nudge", async () => {
    const rig = new Rig();
    await rig.answer(new Error("away"));
    rig.poller.nudge();
    await rig.settle();
    expect(rig.asked).toHaveLength(2);
  });

  it("stops at once while it asks, while it sleeps and when it was nudged", async () => {
    const asking = new Rig();
    await asking.poller.stop();
    const sleeping = new Rig();
    await sleeping.answer(new Error("away"));
    await sleeping.poller.stop();
    const nudged = new Rig();
    nudged.poller.nudge();
    await nudged.settle();
    await nudged.poller.stop();
    expect([asking, sleeping, nudged].map(({ asked }) => asked.length)).toEqual([1, 1, 2]);
  });

  it("goes on when a callback fails", async () => {
    const rig = new Rig();
    Object.defineProperty(rig.failed, "push", {
      value: () => {
        throw new Error("logger is broken");
      },
    });
    await rig.answer(new Error("away"));
    await rig.wake();
    await rig.answer(full(first));
    expect(rig.adopted).toHaveLength(1);
  });
});

import { setImmediate as turn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { nextMessage } from "../../../src/platform/next-message.ts";

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

async function* numbered(count: number) {
  for (let number = 0; number < count; number += 1) yield { number };
}

describe("the next message", () => {
  it("retains no earlier message, however long the stream", async () => {
    const stopping = new AbortController();
    const messages = numbered(200);
    const seen: WeakRef<object>[] = [];
    for (;;) {
      const next = await nextMessage(messages, stopping.signal);
      if (next === undefined || next.done === true) break;
      seen.push(new WeakRef(next.value));
      // A WeakRef holds its target until the turn ends.
      await turn();
    }
    collectGarbage();
    expect(seen).toHaveLength(200);
    expect(seen.slice(0, -2).filter((message) => message.deref() !== undefined)).toHaveLength(0);
  });

  it("is undefined once the signal is aborted, for callers that wait and for later ones", async () => {
    const stopping = new AbortController();
    const silent: AsyncIterator<string> = { next: () => new Promise(() => {}) };
    const waiting = nextMessage(silent, stopping.signal);
    stopping.abort();
    expect(await waiting).toBeUndefined();
    expect(await nextMessage(numbered(1), stopping.signal)).toBeUndefined();
  });

  it("passes on the stream's message, its end and its failure", async () => {
    const { signal } = new AbortController();
    const messages = numbered(1);
    expect(await nextMessage(messages, signal)).toEqual({ done: false, value: { number: 0 } });
    expect(await nextMessage(messages, signal)).toMatchObject({ done: true });
    const failing: AsyncIterator<string> = { next: () => Promise.reject(new Error("reset")) };
    await expect(nextMessage(failing, signal)).rejects.toThrow("reset");
  });
});

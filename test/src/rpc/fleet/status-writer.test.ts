import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { StatusWriter } from "../../../../src/rpc/fleet/status-writer.ts";

const status = (spoolDepth: number) => ({
  ...{ bundleVersion: 1, activationSeq: 1, rejection: "", refusedBackends: [], models: [], labels: {} },
  ...{ spoolDepth, witnessedSize: 0, witnessedEpoch: 0 },
});

describe("StatusWriter", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const start = () => {
    const written: number[] = [];
    const writer = new StatusWriter(async ({ spoolDepth }) => void written.push(spoolDepth));
    return { written, writer };
  };

  it("writes at most once a second, and always the newest", async () => {
    const { written, writer } = start();
    for (let depth = 0; depth < 30; depth += 1) {
      writer.write(status(depth));
      await vi.advanceTimersByTimeAsync(100);
    }
    expect(written).toEqual([0, 9, 19, 29]);
    await writer.close();
  });

  it("writes what waits when it closes, and leaves no timer behind", async () => {
    const { written, writer } = start();
    writer.write(status(1));
    writer.write(status(2));
    await writer.close();
    expect([written, vi.getTimerCount()]).toEqual([[1, 2], 0]);
  });

  it("goes on after a status that could not be written", async () => {
    const written: number[] = [];
    const writer = new StatusWriter(async ({ spoolDepth }) => {
      if (spoolDepth === 1) throw new Error("the database is away");
      written.push(spoolDepth);
    });
    writer.write(status(1));
    await vi.advanceTimersByTimeAsync(1000);
    writer.write(status(2));
    await writer.close();
    expect(written).toEqual([2]);
  });

  it.each([
    [Number.NaN, 0],
    [-5, 0],
    [2.6, 3],
    [Number.POSITIVE_INFINITY, 0],
    [1e300, Number.MAX_SAFE_INTEGER],
  ])("takes a spool depth of %d for %d", async (depth, taken) => {
    const { written, writer } = start();
    writer.write(status(depth));
    await writer.close();
    expect(written).toEqual([taken]);
  });
});

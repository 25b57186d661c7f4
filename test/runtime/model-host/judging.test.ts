// What the host does with a text before it knows that there is time for it: nothing. Time is a number that the work itself
// moves on, so that what is done can be counted.

import { beforeEach, describe, expect, it } from "vitest";
import { Judging } from "../../../runtime/model-host/judging.ts";
import { RunQueue } from "../../../runtime/model-host/run-queue.ts";

const maxWaiting = 4;

describe("a text that a model is asked about", () => {
  let nowMs: number;
  let read: string[];
  let ran: number;
  let queue: RunQueue;
  let judging: Judging;
  /** How long the next text takes to be tokenized. */
  let tokenizingMs: number;
  /** Ends the runs that are under way. */
  let endRuns: () => void;

  beforeEach(() => {
    [nowMs, read, ran, tokenizingMs] = [1_000, [], 0, 100];
    endRuns = () => undefined;
    queue = new RunQueue({ threads: 1, maxWaiting });
    judging = new Judging(queue, () => nowMs);
  });

  const model = {
    windowsOf: (text: string) => {
      read.push(text);
      nowMs += tokenizingMs;
      return { windows: [[1, 2, 3]], isCut: false };
    },
    run: async () => {
      ran += 1;
      return [0.5];
    },
  };
  const held = {
    ...model,
    run: () =>
      new Promise<number[]>((resolve) => {
        const before = endRuns;
        endRuns = () => {
          before();
          resolve([0.5]);
        };
      }),
  };
  const scores = (text: string, remainingMs: number, by: typeof model = model) =>
    judging.scores({ model: "tiny", text, endsAtMs: nowMs + remainingMs }, by);

  it("is read and scored in time", async () => {
    expect(await scores("a", 1_000)).toEqual({ scores: [[0.5]], isCut: false });
    expect([read, ran]).toEqual([["a"], 1]);
  });

  it("is not read when its time had run out before it came", async () => {
    const question = { model: "tiny", text: "a", endsAtMs: nowMs - 1 };
    await expect(judging.scores(question, model)).rejects.toMatchObject({ failure: "timeout" });
    expect([read, ran]).toEqual([[], 0]);
  });

  it("is not read when one of its length took longer than is left, until refusals have lowered that", async () => {
    await scores("a", 1_000);
    await expect(scores("b", 95)).rejects.toMatchObject({ failure: "model_busy" });
    expect(read).toEqual(["a"]);
    // A time that was measured on a busy machine is not believed for ever.
    tokenizingMs = 1;
    expect(await scores("c", 95)).toMatchObject({ scores: [[0.5]] });
    expect(read).toEqual(["a", "c"]);
    // What long texts take says nothing of short ones.
    tokenizingMs = 500;
    await scores("d".repeat(30_000), 10_000);
    await expect(scores("e".repeat(30_000), 400)).rejects.toMatchObject({ failure: "model_busy" });
    expect(await scores("f", 400_000)).toMatchObject({ scores: [[0.5]] });
    expect(read.map((text) => text[0])).toEqual(["a", "c", "d", "f"]);
  });

  it("is not read when as many windows wait as may", async () => {
    const all = Array.from({ length: maxWaiting + 1 }, (_, index) => scores(`held ${index}`, 60_000, held));
    await expect(scores("one too many", 60_000)).rejects.toMatchObject({ failure: "model_busy" });
    expect(read.length).toBe(maxWaiting + 1);
    while (queue.waiting > 0) {
      endRuns();
      await new Promise((resolve) => setImmediate(resolve));
    }
    endRuns();
    expect((await Promise.all(all)).length).toBe(maxWaiting + 1);
  });

  it("is not read when what waits before it takes longer than is left", async () => {
    queue.times.learn("tiny", 3, 400);
    const all = [scores("held 0", 60_000, held), scores("held 1", 60_000, held)];
    await expect(scores("in a hurry", 300)).rejects.toMatchObject({ failure: "model_busy" });
    expect(read).toEqual(["held 0", "held 1"]);
    endRuns();
    await new Promise((resolve) => setImmediate(resolve));
    endRuns();
    expect((await Promise.all(all)).length).toBe(2);
  });

  it("is not run when its windows took longer than is left, until refusals have lowered that", async () => {
    tokenizingMs = 1;
    queue.times.learn("tiny", 3, 400);
    for (const text of ["a", "b", "c"])
      await expect(scores(text, 300)).rejects.toMatchObject({ failure: "model_busy" });
    expect([read.length, ran]).toEqual([3, 0]);
    expect(await scores("d", 300)).toMatchObject({ scores: [[0.5]] });
  });

  it("is not run when reading it took all its time", async () => {
    await expect(scores("a", 50)).rejects.toMatchObject({ failure: "model_busy" });
    expect([read, ran]).toEqual([["a"], 0]);
  });
});

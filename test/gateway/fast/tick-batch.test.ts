import { describe, expect, it } from "vitest";
import { type BatchCall, createTickBatch } from "../../../gateway/fast/tick-batch.ts";

/** Notes what happens, in order. */
function noting() {
  const notes: string[] = [];
  const clock = { ms: 0 };
  const take = createTickBatch(
    (work) => {
      notes.push("begin");
      work();
      notes.push("written");
    },
    () => clock.ms,
  );
  const call = (name: string, onJudge: () => void = () => undefined): BatchCall => ({
    judge: () => {
      notes.push(`judge ${name}`);
      onJudge();
    },
    answer: () => void notes.push(`answer ${name}`),
  });
  return { notes, clock, take, call };
}

const nextTurn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

describe("calls of one turn", () => {
  it("are judged together, and none is answered before what they recorded is written", async () => {
    const { notes, take, call } = noting();
    take(call("a"));
    take(call("b"));
    expect(notes).toEqual([]);
    await nextTurn();
    expect(notes).toEqual(["begin", "judge a", "judge b", "written", "answer a", "answer b"]);
  });

  it("wait for no more than sixteen others", async () => {
    const { notes, take, call } = noting();
    for (let i = 0; i < 40; i++) take(call(String(i)));
    await nextTurn();
    const writes = notes.flatMap((note, index) => (note === "written" ? [index] : []));
    expect(writes).toHaveLength(3);
    expect(notes.filter((note) => note.startsWith("answer"))).toHaveLength(40);
    for (const [index, note] of notes.entries()) {
      const judgements = notes.slice(0, index).filter((each) => each.startsWith("judge")).length;
      const answers = notes.slice(0, index).filter((each) => each.startsWith("answer")).length;
      if (note.startsWith("judge")) expect(judgements - answers).toBeLessThan(16);
    }
  });

  it("do not wait for one that takes long", async () => {
    const { notes, clock, take, call } = noting();
    take(
      call("slow", () => {
        clock.ms += 5;
      }),
    );
    take(call("next"));
    await nextTurn();
    expect(notes.indexOf("answer slow")).toBeLessThan(notes.indexOf("judge next"));
  });
});

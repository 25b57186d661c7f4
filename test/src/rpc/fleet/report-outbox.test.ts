import { describe, expect, it } from "vitest";
import { ReportOutbox } from "../../../../src/rpc/fleet/report-outbox.ts";

async function drained(outbox: ReportOutbox) {
  const messages = [];
  for await (const { message } of outbox.messages()) messages.push(message);
  return messages;
}

describe("ReportOutbox", () => {
  it("holds only the newest of each kind, however much is put into it", async () => {
    const outbox = new ReportOutbox();
    for (let seq = 1; seq <= 1000; seq += 1) {
      outbox.acknowledge(seq);
      outbox.bundleChanged(seq);
      outbox.tokensChanged([{ projectId: String(seq) }]);
    }
    outbox.end();
    expect(await drained(outbox)).toEqual([
      { case: "ack", value: { lastSeq: 1000 } },
      { case: "bundleChanged", value: { activationSeq: 1000 } },
      { case: "tokensChanged", value: { tokens: [{ projectId: "1000" }] } },
    ]);
  });

  it("never tells of an older activation after a newer one", async () => {
    const outbox = new ReportOutbox();
    const messages = outbox.messages();
    outbox.bundleChanged(5);
    expect((await messages.next()).value).toMatchObject({ message: { value: { activationSeq: 5 } } });
    outbox.bundleChanged(4);
    outbox.end();
    expect((await messages.next()).done).toBe(true);
  });

  it("sends an activation again after it was signed again", async () => {
    const outbox = new ReportOutbox();
    const messages = outbox.messages();
    outbox.bundleChanged(5);
    await messages.next();
    outbox.bundleChanged(5);
    expect((await messages.next()).value).toMatchObject({ message: { value: { activationSeq: 5 } } });
  });

  it("wakes a reader that waits", async () => {
    const outbox = new ReportOutbox();
    const messages = outbox.messages();
    const next = messages.next();
    setTimeout(() => outbox.acknowledge(3), 5);
    expect((await next).value).toMatchObject({ message: { value: { lastSeq: 3 } } });
    const last = messages.next();
    setTimeout(() => outbox.end(), 5);
    expect((await last).done).toBe(true);
  });

  it("ends with the first error at once, and with no later one", async () => {
    const outbox = new ReportOutbox();
    outbox.acknowledge(1);
    outbox.end(new Error("first"));
    outbox.end(new Error("second"));
    await expect(drained(outbox)).rejects.toThrow("first");
  });
});

import { randomBytes } from "node:crypto";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SealedMail } from "../../../../src/domain/job.ts";
import { MailDelivery, MailQueue } from "../../../../src/domain/mail/mail-queue.ts";
import { sendMail } from "../../../../src/jobs/send-mail.ts";
import type { JobServices } from "../../../../src/jobs/task.ts";
import { createLog } from "../../../../src/kit/observability/log.ts";
import { newId } from "../../../../src/kit/process/id.ts";
import { MailRefused, type OutgoingMail } from "../../../../src/platform/mail.ts";
import { createSealer, parseMasterKeys } from "../../../../src/platform/seal.ts";
import { type Database, openDatabase } from "../../../../src/store/connection/database.ts";
import { createTestDatabase, type TestDatabase } from "../../../harness/database.ts";
import { createMovedClock } from "../../../harness/moved-clock.ts";

const sealer = createSealer({ masterKeys: parseMasterKeys(randomBytes(32).toString("base64")) });
const clock = createMovedClock();
const log = createLog({ name: "test", level: "silent" });
const message = { to: "ada@example.com", subject: "Hello", text: "https://guard.example.com/accept#token=abc" };

let urls: TestDatabase;
let database: Database;
let jobs: pg.Client;

beforeAll(async () => {
  urls = await createTestDatabase();
  database = await openDatabase({ url: urls.applicationUrl, poolSize: 2 });
  jobs = new pg.Client({ connectionString: urls.workerUrl });
  await jobs.connect();
});

afterAll(async () => {
  await Promise.all([database.close(), jobs.end()]);
  await urls.drop();
});

/** The job of a mail that was handed over. */
async function jobOf(expiresAt?: Date): Promise<SealedMail> {
  const queue = new MailQueue(database, { sealer, log });
  await database.systemTransaction(newId(), (tx) => queue.sendWithin(tx, { ...message, expiresAt }));
  const { rows } = await jobs.query<{ payload: SealedMail }>(
    "select payload from graphile_worker._private_jobs order by id desc limit 1",
  );
  const [row] = rows;
  if (row === undefined) throw new Error("no job");
  return row.payload;
}

function deliveryTo(send: (mail: OutgoingMail) => Promise<void>): MailDelivery {
  return new MailDelivery({ sealer, clock, transport: { send } });
}

describe("a mail on its way to the worker", () => {
  it("is sent as it was handed over, under the id of its job", async () => {
    const sent: OutgoingMail[] = [];
    const job = await jobOf();
    expect(await deliveryTo(async (mail) => void sent.push(mail)).deliver(job)).toBe(true);
    expect(sent).toEqual([{ id: job.id, ...message }]);
  });

  it("is dropped when its link has ended", async () => {
    const job = await jobOf(new Date(clock.now().getTime() + 60_000));
    const sent: OutgoingMail[] = [];
    const delivery = deliveryTo(async (mail) => void sent.push(mail));
    expect(await delivery.deliver(job)).toBe(true);
    clock.pass(60_000);
    expect(await delivery.deliver(job)).toBe(false);
    expect(sent).toHaveLength(1);
  });

  it("does not open under another id", async () => {
    const [first, second] = [await jobOf(), await jobOf()];
    const delivery = deliveryTo(async () => undefined);
    await expect(delivery.deliver({ ...first, id: second.id })).rejects.toThrow("was changed, or belongs to something");
  });

  it("waits while the worker knows no mail server", async () => {
    const delivery = new MailDelivery({ sealer, clock, transport: undefined });
    await expect(delivery.deliver(await jobOf())).rejects.toThrow("SMTP_URL");
  });

  it.each([
    ["is tried again after a failure", new Error("connection refused"), true],
    ["is given up when the server refuses it for good", new MailRefused("no such mailbox"), false],
  ])("%s", async (_, failure, isTriedAgain) => {
    const mails = deliveryTo(async () => {
      throw failure;
    });
    // Of what jobs work with this one uses two.
    const services = { mails, log } as JobServices;
    const run = sendMail.run(services, await jobOf());
    if (isTriedAgain) await expect(run).rejects.toThrow(failure);
    else await run;
  });

  it("is no job without its mail", async () => {
    await expect(sendMail.run({} as JobServices, { id: "1" })).rejects.toThrow("without its mail");
  });
});

// The way of a mail to the worker: a job, whose payload is sealed, since links that begin sessions and accounts stand in mails and
// whoever reads the table of jobs must not have them.

import type { Clock } from "../kit/clock.ts";
import { newId } from "../kit/id.ts";
import type { Logger } from "../kit/log.ts";
import type { MailTransport } from "../kit/mail.ts";
import type { SealBinding, Sealer } from "../kit/seal.ts";
import type { Database, Transaction } from "../store/database.ts";
import { enqueueJob, type SealedMail } from "./job.ts";
import type { Mailer, MailMessage, TransactionalMailer } from "./mail.ts";

/** Hands mails to the worker. */
export class MailQueue implements Mailer, TransactionalMailer {
  readonly #database: Database;
  readonly #sealer: Sealer;
  readonly #log: Logger;
  readonly #sending = new Set<Promise<void>>();

  constructor(database: Database, { sealer, log }: { readonly sealer: Sealer; readonly log: Logger }) {
    this.#database = database;
    this.#sealer = sealer;
    this.#log = log;
  }

  /** Hands a mail over if and only if the transaction commits. */
  sendWithin(tx: Pick<Transaction, "enqueue">, { expiresAt, ...message }: MailMessage): Promise<void> {
    const id = newId();
    const sealed = this.#sealer.seal(Buffer.from(JSON.stringify(message), "utf8"), mailBinding(id));
    const expires_at = expiresAt?.toISOString() ?? null;
    return enqueueJob(tx, "send-mail", { id, sealed: Buffer.from(sealed).toString("base64"), expires_at });
  }

  /** Hands a mail over and does not wait for it. */
  send(message: MailMessage): void {
    // A mail to a person belongs to no organization; the transaction's id is nobody's.
    const sending = this.#database
      .systemTransaction(newId(), (tx) => this.sendWithin(tx, message))
      .catch((err: unknown) => this.#log.error({ err }, "a mail was not handed to the worker"))
      .finally(() => this.#sending.delete(sending));
    this.#sending.add(sending);
  }

  /** Resolves when all that was to be sent is with the worker. */
  async close(): Promise<void> {
    await Promise.all(this.#sending);
  }
}

/** Sends what the queue holds. */
export class MailDelivery {
  readonly #sealer: Sealer;
  readonly #clock: Clock;
  readonly #transport: MailTransport | undefined;

  constructor(parts: {
    readonly sealer: Sealer;
    readonly clock: Clock;
    /** Undefined when mail is not configured. */
    readonly transport: MailTransport | undefined;
  }) {
    this.#sealer = parts.sealer;
    this.#clock = parts.clock;
    this.#transport = parts.transport;
  }

  /** Sends a mail; false when it has expired. Throws what the transport throws. */
  async deliver({ id, sealed, expires_at }: SealedMail): Promise<boolean> {
    if (expires_at !== null && new Date(expires_at) <= this.#clock.now()) return false;
    if (this.#transport === undefined) throw new Error("SMTP_URL is not set for the worker, so mails wait");
    const opened = this.#sealer.open(Buffer.from(sealed, "base64"), mailBinding(id));
    const message: Pick<MailMessage, "to" | "subject" | "text"> = JSON.parse(Buffer.from(opened).toString("utf8"));
    await this.#transport.send({ id, ...message });
    return true;
  }
}

/** What a mail is sealed for. */
export function mailBinding(id: string): SealBinding {
  return { purpose: "mail", orgId: "", rowId: id };
}

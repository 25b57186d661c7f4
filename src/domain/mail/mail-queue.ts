// Hands mails to the worker as jobs. The payload is sealed, since mails contain links that begin sessions and accounts,
// and a reader of the table of jobs must not get them.

import type { Logger } from "../../kit/observability/log.ts";
import type { Clock } from "../../kit/process/clock.ts";
import { newId } from "../../kit/process/id.ts";
import type { MailTransport } from "../../platform/mail.ts";
import type { SealBinding, Sealer } from "../../platform/seal.ts";
import type { Database } from "../../store/connection/database.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import { enqueueJob, type SealedMail } from "../job.ts";
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

  /** Enqueues a mail that is sent if and only if the transaction commits. */
  sendWithin(tx: Pick<Transaction, "enqueue">, { expiresAt, ...message }: MailMessage): Promise<void> {
    const id = newId();
    const sealed = this.#sealer.seal(Buffer.from(JSON.stringify(message), "utf8"), mailBinding(id));
    const expires_at = expiresAt?.toISOString() ?? null;
    return enqueueJob(tx, "send-mail", { id, sealed: Buffer.from(sealed).toString("base64"), expires_at });
  }

  /** Enqueues a mail and does not wait for it. */
  send(message: MailMessage): void {
    // A mail to a person belongs to no organization; the transaction has an unused id.
    const sending = this.#database
      .systemTransaction(newId(), (tx) => this.sendWithin(tx, message))
      .catch((err: unknown) => this.#log.error({ err }, "a mail was not handed to the worker"))
      .finally(() => this.#sending.delete(sending));
    this.#sending.add(sending);
  }

  /** Resolves when all mails are enqueued. */
  async close(): Promise<void> {
    await Promise.all(this.#sending);
  }
}

/** Sends the mails of the queue. */
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

  /** Sends a mail; false when it has expired. Throws the errors of the transport. */
  async deliver({ id, sealed, expires_at }: SealedMail): Promise<boolean> {
    if (expires_at !== null && new Date(expires_at) <= this.#clock.now()) return false;
    if (this.#transport === undefined) throw new Error("SMTP_URL is not set for the worker, so mails wait");
    const opened = this.#sealer.open(Buffer.from(sealed, "base64"), mailBinding(id));
    const message: Pick<MailMessage, "to" | "subject" | "text"> = JSON.parse(Buffer.from(opened).toString("utf8"));
    await this.#transport.send({ id, ...message });
    return true;
  }
}

/** The seal binding of a mail. */
export function mailBinding(id: string): SealBinding {
  return { purpose: "mail", orgId: "", rowId: id };
}

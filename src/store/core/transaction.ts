// The interfaces of work on the database: a transaction of an organization or of an account, and look-ups before either
// is known.

import type { JsonObject } from "@bufbuild/protobuf";
import type { SqlEntityManager } from "@mikro-orm/postgresql";
import type { Caller } from "../../kit/rpc/context.ts";

/** Calls look-up functions of the schema `app`, which work before the organization is known. */
export interface Lookups {
  /** The rows of the function `name`. */
  lookup<Row extends object>(name: string, parameters: readonly unknown[]): Promise<Row[]>;
}

/** Who made a change, by what, and from where. */
export interface AuditAuthor {
  readonly credential: Pick<Caller["credential"], "id" | "label">;
  readonly audit: Caller["audit"];
}

/** A change that the audit entry of the call names. */
export interface Change {
  /** Such as "webhook/5b0f…". */
  readonly resource: string;
  /** What was done, where an entry is about another action than the call's. */
  readonly action?: string;
  /** The resource before and after, without secrets; null where there was or is none. */
  readonly before: JsonObject | null;
  readonly after: JsonObject | null;
}

/** A job for the worker. It exists if and only if the transaction commits. */
export interface Job {
  readonly task: string;
  readonly payload: JsonObject;
  readonly runAt?: Date;
  /** Replaces a job with the same key that has not started. */
  readonly key?: string;
}

/** One transaction of one organization. */
export interface Transaction {
  readonly orgId: string;
  readonly em: SqlEntityManager;
  /** The transaction's moment: every row that it writes has the same. */
  readonly now: Date;
  /** Runs SQL with `?` parameters in this transaction. */
  readonly sql: <Row extends object>(text: string, parameters?: readonly unknown[]) => Promise<Row[]>;
  /**
   * Runs SQL at the end of this transaction. All such statements are sent at once, in their order, which costs less than
   * one after the other. For writes that nothing in the transaction reads or waits for.
   */
  readonly writeAtEnd: (text: string, parameters: readonly unknown[]) => void;
  /** Names what the call changed; written as an audit entry with the commit. */
  readonly changed: (change: Change) => void;
  /** Adds a job that starts after the commit. */
  readonly enqueue: (job: Job) => Promise<void>;
  /** Notifies every process of the control plane at the commit. `payload` is at most 8,000 bytes as JSON. */
  readonly notify: (channel: string, payload: JsonObject) => Promise<void>;
  /** Makes an account's rows visible too, from here on in the same transaction. One account at a time. */
  readonly openAccount: (accountId: string) => Promise<AccountTransaction>;
}

/** Look-ups that see what the transaction has changed. */
export function lookupsWithin(tx: Pick<Transaction, "sql">): Lookups {
  return {
    lookup: (name, parameters) =>
      tx.sql(`select * from app.${name}(${parameters.map(() => "?").join(", ")})`, parameters),
  };
}

/** One transaction of one account, which belongs to no organization. */
export interface AccountTransaction {
  readonly accountId: string;
  readonly em: SqlEntityManager;
  readonly now: Date;
  readonly sql: Transaction["sql"];
  /** Adds a job that starts after the commit. */
  readonly enqueue: Transaction["enqueue"];
  /** Names what was changed about the account; written with the commit to each organization that it is a member of. */
  readonly changed: (author: AuditAuthor, change: Change) => void;
  /** Makes an organization's rows visible too, from here on in the same transaction. One organization at a time. */
  readonly openOrganization: (orgId: string, author: AuditAuthor) => Promise<Transaction>;
}

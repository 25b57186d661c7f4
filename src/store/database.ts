// The control plane's connection to PostgreSQL. Everything of one organization happens in `transaction` or `read`,
// which tell row-level security whose rows may be seen.

import type { JsonObject } from "@bufbuild/protobuf";
import { type MikroORM, MikroORM as Orm, type SqlEntityManager } from "@mikro-orm/postgresql";
import { type Clock, systemClock } from "../kit/clock.ts";
import type { Caller } from "../kit/context.ts";
import { writeAuditEntry } from "./audit-entry.ts";
import { translated } from "./driver-error.ts";
import { ormOptions } from "./orm.ts";

/** A change that the audit entry of the call names. */
export interface Change {
  /** Such as "webhook/5b0f…". */
  readonly resource: string;
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
  /** Names what the call changed; written as an audit entry with the commit. */
  readonly changed: (change: Change) => void;
  /** Adds a job that starts after the commit. */
  readonly enqueue: (job: Job) => Promise<void>;
  /** Tells every process of the control plane, at the commit. `payload` is at most 8,000 bytes as JSON. */
  readonly notify: (channel: string, payload: JsonObject) => Promise<void>;
}

/** The control plane's database. */
export class Database {
  readonly #orm: MikroORM;
  readonly #clock: Clock;

  constructor(orm: MikroORM, clock: Clock) {
    this.#orm = orm;
    this.#clock = clock;
  }

  /** Changes something on a caller's behalf: the change, its audit entry, its events and its jobs commit together. */
  transaction<T>(caller: Caller, work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.#within(caller.orgId, async (tx, changes) => {
      const result = await work(tx);
      await tx.em.flush();
      for (const change of changes) await writeAuditEntry(tx, caller, change);
      return result;
    });
  }

  /** Changes something that the system itself does, such as a job or an ingest; leaves no audit entry. */
  systemTransaction<T>(orgId: string, work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.#within(orgId, async (tx) => {
      const result = await work(tx);
      await tx.em.flush();
      return result;
    });
  }

  /** Reads. Writes in it are a programming error that PostgreSQL refuses. */
  read<T>(orgId: string, work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.#within(orgId, (tx) => work(tx), { readOnly: true });
  }

  /** Calls a look-up function of the schema `app`, which works before the organization is known. */
  async lookup<Row extends object>(name: string, parameters: readonly unknown[]): Promise<Row[]> {
    const places = parameters.map(() => "?").join(", ");
    return translated(() => this.#orm.em.fork().execute(`select * from app.${name}(${places})`, [...parameters]));
  }

  /** Whether the database answers and accepts writes. */
  async isWritable(): Promise<boolean> {
    const rows = await this.#orm.em
      .fork()
      .execute<{ writable: boolean }[]>(
        "select not pg_is_in_recovery() and current_setting('transaction_read_only') = 'off' as writable",
      );
    return rows[0]?.writable === true;
  }

  /** Closes the connections. */
  async close(): Promise<void> {
    await this.#orm.close(true);
  }

  #within<T>(
    orgId: string,
    work: (tx: Transaction, changes: readonly Change[]) => Promise<T>,
    { readOnly = false } = {},
  ): Promise<T> {
    const em = this.#orm.em.fork({ session: { variables: { "app.org_id": orgId } } });
    return translated(() =>
      em.transactional(
        (inner) => {
          const changes: Change[] = [];
          return work(this.#transactionOf(inner, orgId, changes), changes);
        },
        { readOnly },
      ),
    );
  }

  #transactionOf(em: SqlEntityManager, orgId: string, changes: Change[]): Transaction {
    const sql = <Row extends object>(text: string, parameters: readonly unknown[] = []) =>
      em.execute<Row[]>(text, [...parameters]);
    return {
      orgId,
      em,
      now: this.#clock.now(),
      sql,
      changed: (change) => {
        changes.push(change);
      },
      enqueue: async ({ task, payload, runAt, key }) => {
        const at = runAt?.toISOString() ?? null;
        await sql("select app.enqueue(?, ?::json, ?::timestamptz, ?)", [
          task,
          JSON.stringify(payload),
          at,
          key ?? null,
        ]);
      },
      notify: async (channel, payload) => {
        await sql("select pg_notify(?, ?)", [channel, JSON.stringify({ org_id: orgId, ...payload })]);
      },
    };
  }
}

/** Connects as the application. Refuses a login that could see around row-level security. */
export async function openDatabase(options: {
  readonly url: string;
  readonly poolSize: number;
  readonly clock?: Clock;
}): Promise<Database> {
  const orm = await Orm.init(ormOptions({ url: options.url, poolSize: options.poolSize }));
  try {
    await assertSubjectToRowLevelSecurity(orm);
  } catch (error) {
    await orm.close(true);
    throw error;
  }
  return new Database(orm, options.clock ?? systemClock);
}

async function assertSubjectToRowLevelSecurity(orm: MikroORM): Promise<void> {
  const rows = await orm.em.execute<{ name: string; above: boolean }[]>(
    `select current_user as name,
            r.rolsuper or r.rolbypassrls
              or exists (select from pg_class c join pg_namespace n on n.oid = c.relnamespace
                         where n.nspname = 'public' and c.relkind in ('r', 'p')
                           and pg_has_role(c.relowner, 'member')) as above
     from pg_roles r where r.rolname = current_user`,
  );
  const login = rows[0];
  if (login === undefined || login.above) {
    throw new Error(
      `the database login ${login?.name ?? "?"} is a superuser, has BYPASSRLS or owns the tables, so row-level security ` +
        "would not hold it; set DATABASE_URL to the application's own login",
    );
  }
}

// The control plane's connection to PostgreSQL. Everything of one organization happens in `transaction` or `read`,
// which tell row-level security whose rows may be seen.

import { setTimeout as sleep } from "node:timers/promises";
import type { JsonObject } from "@bufbuild/protobuf";
import { type MikroORM, MikroORM as Orm, type SqlEntityManager } from "@mikro-orm/postgresql";
import { type Clock, systemClock } from "../kit/clock.ts";
import type { Caller } from "../kit/context.ts";
import { type AuditAuthor, writeAuditEntry } from "./audit-entry.ts";
import { isGivenUp, translated } from "./driver-error.ts";
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
  /** Reaches an account's rows too from here on, in the same transaction. One account at a time. */
  readonly openAccount: (accountId: string) => Promise<AccountTransaction>;
}

/** One transaction of one account, which belongs to no organization. */
export interface AccountTransaction {
  readonly accountId: string;
  readonly em: SqlEntityManager;
  readonly now: Date;
  readonly sql: Transaction["sql"];
  /** Names what was changed about the account; written with the commit to each organization that it is a member of. */
  readonly changed: (author: AuditAuthor, change: Change) => void;
  /** Reaches an organization's rows too from here on, in the same transaction. One organization at a time. */
  readonly openOrganization: (orgId: string, author: AuditAuthor) => Promise<Transaction>;
}

/** What the audit log will hold: of one organization, or of each that the account is a member of. */
type Entry = { readonly author: AuditAuthor; readonly change: Change } & (
  | { readonly orgId: string }
  | { readonly accountId: string }
);

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
    return this.#within({ "app.org_id": caller.orgId }, (scope) => work(transactionOf(scope, caller.orgId, caller)));
  }

  /** Changes something that the system itself does, such as a job or an ingest; leaves no audit entry. */
  systemTransaction<T>(orgId: string, work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.#within({ "app.org_id": orgId }, (scope) => work(transactionOf(scope, orgId, undefined)));
  }

  /** Changes something about a person, such as a session or a password. Its rows are those of one account. */
  accountTransaction<T>(accountId: string, work: (tx: AccountTransaction) => Promise<T>): Promise<T> {
    return this.#within({ "app.account_id": accountId }, (scope) => work(accountTransactionOf(scope, accountId)));
  }

  /** Reads. Writes in it are a programming error that PostgreSQL refuses. */
  read<T>(orgId: string, work: (tx: Transaction) => Promise<T>): Promise<T> {
    const options = { readOnly: true };
    return this.#within({ "app.org_id": orgId }, (scope) => work(transactionOf(scope, orgId, undefined)), options);
  }

  /** Reads rows of one account. */
  readAccount<T>(accountId: string, work: (tx: AccountTransaction) => Promise<T>): Promise<T> {
    const variables = { "app.account_id": accountId };
    return this.#within(variables, (scope) => work(accountTransactionOf(scope, accountId)), { readOnly: true });
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
    variables: Readonly<Record<string, string>>,
    work: (scope: Scope) => Promise<T>,
    { readOnly = false } = {},
  ): Promise<T> {
    return translated(() => triedAgain(() => this.#once(variables, work, { readOnly })));
  }

  #once<T>(
    variables: Readonly<Record<string, string>>,
    work: (scope: Scope) => Promise<T>,
    { readOnly }: { readonly readOnly: boolean },
  ): Promise<T> {
    // A fork of its own for each attempt: entities of one that was given up must not be written by the next.
    const em = this.#orm.em.fork({ session: { variables } });
    return em.transactional(
      async (inner) => {
        const scope = scopeOf(inner, this.#clock.now());
        const result = await work(scope);
        if (!readOnly) await inner.flush();
        await writeEntries(scope);
        return result;
      },
      { readOnly },
    );
  }
}

const attempts = 3;

/** Tries again what PostgreSQL gave up for another transaction's sake: nothing of it happened. */
async function triedAgain<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt === attempts || !isGivenUp(error)) throw error;
      await sleep(Math.random() * 20 * attempt);
    }
  }
}

/** What the views of one transaction share. */
interface Scope extends Pick<Transaction, "em" | "now" | "sql"> {
  readonly entries: Entry[];
  /** Says whose rows may be seen from here on, until the transaction ends. */
  readonly reach: (variable: "app.org_id" | "app.account_id", id: string) => Promise<void>;
}

function scopeOf(em: SqlEntityManager, now: Date): Scope {
  const sql = <Row extends object>(text: string, parameters: readonly unknown[] = []) =>
    em.execute<Row[]>(text, [...parameters]);
  return {
    em,
    now,
    sql,
    entries: [],
    // What was written for another organization or account has to reach the database before its rows are out of sight.
    reach: async (variable, id) => {
      await em.flush();
      await sql("select set_config(?, ?, true)", [variable, id]);
    },
  };
}

function transactionOf(scope: Scope, orgId: string, author: AuditAuthor | undefined): Transaction {
  const { em, now, sql, entries, reach } = scope;
  return {
    orgId,
    em,
    now,
    sql,
    changed: (change) => {
      if (author !== undefined) entries.push({ orgId, author, change });
    },
    enqueue: async ({ task, payload, runAt, key }) => {
      const at = runAt?.toISOString() ?? null;
      await sql("select app.enqueue(?, ?::json, ?::timestamptz, ?)", [task, JSON.stringify(payload), at, key ?? null]);
    },
    notify: async (channel, payload) => {
      await sql("select pg_notify(?, ?)", [channel, JSON.stringify({ org_id: orgId, ...payload })]);
    },
    openAccount: async (accountId) => {
      await reach("app.account_id", accountId);
      return accountTransactionOf(scope, accountId);
    },
  };
}

function accountTransactionOf(scope: Scope, accountId: string): AccountTransaction {
  const { em, now, sql, entries, reach } = scope;
  return {
    accountId,
    em,
    now,
    sql,
    changed: (author, change) => {
      entries.push({ accountId, author, change });
    },
    openOrganization: async (orgId, author) => {
      await reach("app.org_id", orgId);
      return transactionOf(scope, orgId, author);
    },
  };
}

// The heads of the logs are locked in the order of their organizations, so that no two transactions wait for each other.
async function writeEntries(scope: Scope): Promise<void> {
  const { entries, sql } = scope;
  const placed: { orgId: string; author: AuditAuthor; change: Change }[] = [];
  for (const entry of entries) {
    if ("orgId" in entry) placed.push(entry);
    else {
      const rows = await sql<{ org_id: string }>("select org_id from app.find_memberships(?) where state = 'active'", [
        entry.accountId,
      ]);
      placed.push(...rows.map((row) => ({ ...entry, orgId: row.org_id })));
    }
  }
  placed.sort((a, b) => (a.orgId < b.orgId ? -1 : a.orgId > b.orgId ? 1 : 0));
  for (const [i, { orgId, author, change }] of placed.entries()) {
    if (placed[i - 1]?.orgId !== orgId) await scope.reach("app.org_id", orgId);
    await writeAuditEntry(transactionOf(scope, orgId, author), author, change);
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

// The control plane's connection to PostgreSQL. All access to an organization's rows happens in `transaction` or
// `read`, which tell row-level security whose rows are visible.

import { setTimeout as sleep } from "node:timers/promises";
import type { JsonObject } from "@bufbuild/protobuf";
import { IsolationLevel, type MikroORM, MikroORM as Orm, type SqlEntityManager } from "@mikro-orm/postgresql";
import { inSpan, recordedTraceparent } from "../../kit/observability/tracing.ts";
import { type BackOff, backOffMs } from "../../kit/process/back-off.ts";
import { type Clock, systemClock } from "../../kit/process/clock.ts";
import { mayLag } from "../../kit/process/may-lag.ts";
import { isOlderVersion } from "../../kit/process/version.ts";
import { runBound } from "../core/bulk.ts";
import type { NotificationListener } from "../core/notification.ts";
import type { AccountTransaction, AuditAuthor, Change, Lookups, Transaction } from "../core/transaction.ts";
import { writeAuditEntry } from "../telemetry/audit-entry.ts";
import { isGivenUp, isUnknownName, translated } from "./driver-error.ts";
import { assertSubjectToRowLevelSecurity } from "./login.ts";
import { ormOptions } from "./orm.ts";
import { openReplica, type Replica, type ReplicaOptions } from "./replica.ts";
import { type SchemaState, schemaState } from "./schema-state.ts";

/** Changes for the audit log of one organization, or of each organization that the account is a member of. */
type Entry = { readonly author: AuditAuthor; readonly change: Change } & (
  | { readonly orgId: string }
  | { readonly accountId: string }
);

/** The control plane's database. */
export class Database implements Lookups {
  readonly #orm: MikroORM;
  readonly #clock: Clock;
  #replica: Replica | undefined;
  readonly #readWaiting: () => number;
  readonly #listeners = new Map<string, NotificationListener>();

  constructor(orm: MikroORM, clock: Clock, readWaiting: () => number) {
    this.#orm = orm;
    this.#clock = clock;
    this.#readWaiting = readWaiting;
  }

  /** How many wait for a connection. */
  get waiting(): number {
    return this.#readWaiting();
  }

  /** From now on, reads that may lag go to a replica while it is not behind. */
  async readFrom(replica: ReplicaOptions): Promise<void> {
    this.#replica = await openReplica(this.#orm, replica);
  }

  /**
   * Calls the listener, which must not throw, for each notification that is committed through this database on the
   * channel, before the change is answered: PostgreSQL's word of it may come after the caller's next call. One listener
   * for each channel.
   */
  onNotified(channel: string, listener: NotificationListener): void {
    this.#listeners.set(channel, listener);
  }

  /** Runs a change on a caller's behalf: the change, its audit entry, its events and its jobs commit together. */
  transaction<T>(caller: AuditAuthor & { readonly orgId: string }, work: (tx: Transaction) => Promise<T>): Promise<T> {
    const options = { name: "change" };
    return this.#within(
      { "app.org_id": caller.orgId },
      (scope) => work(transactionOf(scope, caller.orgId, caller)),
      options,
    );
  }

  /** Runs a change by the system itself, such as a job or an ingest; it has no audit entry. */
  systemTransaction<T>(orgId: string, work: (tx: Transaction) => Promise<T>): Promise<T> {
    const options = { name: "system change" };
    return this.#within({ "app.org_id": orgId }, (scope) => work(transactionOf(scope, orgId, undefined)), options);
  }

  /** Runs a change of a person's data, such as a session or a password. Only the rows of one account are visible. */
  accountTransaction<T>(accountId: string, work: (tx: AccountTransaction) => Promise<T>): Promise<T> {
    const variables = { "app.account_id": accountId };
    const options = { name: "account change" };
    return this.#within(variables, (scope) => work(accountTransactionOf(scope, accountId)), options);
  }

  /** Reads a snapshot. Writing in it is a programming error that PostgreSQL refuses. */
  read<T>(orgId: string, work: (tx: Transaction) => Promise<T>): Promise<T> {
    const readAt = (orm: MikroORM) =>
      this.#within({ "app.org_id": orgId }, (scope) => work(transactionOf(scope, orgId, undefined)), {
        name: "read",
        readOnly: true,
        orm,
      });
    const fromPrimary = () => readAt(this.#orm);
    return this.#replica === undefined || !mayLag() ? fromPrimary() : this.#replica.read(readAt, fromPrimary);
  }

  /** Reads a snapshot of the rows of one account. */
  readAccount<T>(accountId: string, work: (tx: AccountTransaction) => Promise<T>): Promise<T> {
    const variables = { "app.account_id": accountId };
    return this.#within(variables, (scope) => work(accountTransactionOf(scope, accountId)), {
      name: "account read",
      readOnly: true,
    });
  }

  async lookup<Row extends object>(name: string, parameters: readonly unknown[]): Promise<Row[]> {
    const placeholders = parameters.map(() => "?").join(", ");
    const statement = `select * from app.${name}(${placeholders})`;
    return inTransactionSpan("look-up", () =>
      translated(() => this.#orm.em.fork().execute<Row[]>(statement, [...parameters])),
    );
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

  /** Which migrations separate the database from this version, and what those that it does not know leave over. */
  async schemaState(): Promise<SchemaState> {
    try {
      const rows = await this.#orm.em.fork().execute<{ name: string }[]>("select name from app.applied_migrations()");
      const state = schemaState(rows.map(({ name }) => name));
      if (state.unknown.length === 0 || state.missing.length > 0) return state;
      const contracts = await this.lookup<{ oldest_version: string }>("schema_contracts", []);
      const oldest = contracts.map((row) => row.oldest_version).toSorted((a, b) => (isOlderVersion(a, b) ? 1 : -1));
      return { ...state, ...(oldest[0] !== undefined && { oldestVersion: oldest[0] }) };
    } catch (error) {
      // An empty database, or one of a version that could not tell.
      if (isUnknownName(error)) return schemaState(undefined);
      throw error;
    }
  }

  /** Closes the connections. */
  async close(): Promise<void> {
    await this.#replica?.close();
    await this.#orm.close(true);
  }

  #within<T>(
    variables: Readonly<Record<string, string>>,
    work: (scope: Scope) => Promise<T>,
    { name, readOnly = false, orm = this.#orm }: { readonly name: string; readOnly?: boolean; orm?: MikroORM },
  ): Promise<T> {
    return inTransactionSpan(name, () =>
      translated(() => triedAgain(() => this.#once(variables, work, { readOnly, orm }))),
    );
  }

  async #once<T>(
    variables: Readonly<Record<string, string>>,
    work: (scope: Scope) => Promise<T>,
    { readOnly, orm }: { readonly readOnly: boolean; readonly orm: MikroORM },
  ): Promise<T> {
    // Each attempt has a fork of its own: entities of a failed attempt must not be written by the next.
    const em = orm.em.fork({ session: { variables } });
    const notified: Notified[] = [];
    const result = await em.transactional(
      async (inner) => {
        const scope = scopeOf(inner, this.#clock.now(), notified);
        const result = await work(scope);
        if (!readOnly) await inner.flush();
        await writeEntries(scope);
        await scope.writeEnd();
        return result;
      },
      readOnly ? { readOnly, isolationLevel: IsolationLevel.REPEATABLE_READ } : {},
    );
    for (const { channel, payload } of notified) this.#listeners.get(channel)?.(payload);
    return result;
  }
}

/** Does a transaction, as a span where the call's trace is recorded. */
function inTransactionSpan<T>(name: string, work: () => Promise<T>): Promise<T> {
  return inSpan(`transaction: ${name}`, "client", (span) => {
    span?.note({ "db.system.name": "postgresql" });
    return work();
  });
}

const attempts = 3;
const backOff: BackOff = { baseMs: 20, maxMs: 40, jitter: "full" };

/** Retries a transaction that PostgreSQL aborted in favour of another one: it had no effect. */
async function triedAgain<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt === attempts || !isGivenUp(error)) throw error;
      await sleep(backOffMs(attempt - 1, backOff));
    }
  }
}

/** What a transaction notified. */
interface Notified {
  readonly channel: string;
  readonly payload: JsonObject;
}

/** The state that the views of one transaction share. */
interface Scope extends Pick<Transaction, "em" | "now" | "sql" | "writeAtEnd" | "enqueue"> {
  readonly entries: Entry[];
  readonly notified: Notified[];
  /** Sends what was to be written at the end. */
  readonly writeEnd: () => Promise<void>;
  /** Sets whose rows are visible from here on, until the transaction ends. */
  readonly reach: (variable: "app.org_id" | "app.account_id", id: string) => Promise<void>;
}

function scopeOf(em: SqlEntityManager, now: Date, notified: Notified[]): Scope {
  const sql = <Row extends object>(text: string, parameters: readonly unknown[] = []) =>
    em.execute<Row[]>(text, [...parameters]);
  const last: string[] = [];
  const writeEnd = async () => {
    // Without parameters apart from the text, the driver's query may have several statements.
    if (last.length > 0) await runBound({ em }, last.splice(0).join(";\n"), []);
  };
  return {
    em,
    now,
    sql,
    writeAtEnd: (text, parameters) => {
      last.push(em.getPlatform().formatQuery(text, parameters));
    },
    writeEnd,
    entries: [],
    notified,
    enqueue: async ({ task, payload, runAt, key }) => {
      const at = runAt?.toISOString() ?? null;
      // The span of the job names the call that made it necessary.
      const traceparent = recordedTraceparent();
      const content = JSON.stringify(traceparent === undefined ? payload : { ...payload, traceparent });
      await sql("select app.enqueue(?, ?::json, ?::timestamptz, ?)", [task, content, at, key ?? null]);
    },
    // Pending writes for another organization or account have to reach the database before its rows become invisible.
    reach: async (variable, id) => {
      await em.flush();
      await writeEnd();
      await sql("select set_config(?, ?, true)", [variable, id]);
    },
  };
}

function transactionOf(scope: Scope, orgId: string, author: AuditAuthor | undefined): Transaction {
  const { em, now, sql, writeAtEnd, enqueue, entries, notified, reach } = scope;
  return {
    orgId,
    em,
    now,
    sql,
    writeAtEnd,
    enqueue,
    changed: (change) => {
      if (author !== undefined) entries.push({ orgId, author, change });
    },
    notify: async (channel, content) => {
      const payload = { org_id: orgId, ...content };
      await sql("select pg_notify(?, ?)", [channel, JSON.stringify(payload)]);
      notified.push({ channel, payload });
    },
    openAccount: async (accountId) => {
      await reach("app.account_id", accountId);
      return accountTransactionOf(scope, accountId);
    },
  };
}

function accountTransactionOf(scope: Scope, accountId: string): AccountTransaction {
  const { em, now, sql, enqueue, entries, reach } = scope;
  return {
    accountId,
    em,
    now,
    sql,
    enqueue,
    changed: (author, change) => {
      entries.push({ accountId, author, change });
    },
    openOrganization: async (orgId, author) => {
      await reach("app.org_id", orgId);
      return transactionOf(scope, orgId, author);
    },
  };
}

// The heads of the logs are locked in the order of their organizations, so that no two transactions wait for each
// other.
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

/** Connects as the application. Refuses a login that could bypass row-level security. */
export async function openDatabase(options: {
  readonly url: string;
  readonly poolSize: number;
  readonly clock?: Clock;
}): Promise<Database> {
  let waiting = (): number => 0;
  const { url, poolSize } = options;
  const onPool = (pool: { readonly waitingCount: number }): void => {
    waiting = () => pool.waitingCount;
  };
  const orm = await Orm.init(ormOptions({ url, poolSize, onPool }));
  try {
    await assertSubjectToRowLevelSecurity(orm, "DATABASE_URL");
  } catch (error) {
    await orm.close(true);
    // The driver's message names the server or the login, whichever is wrong.
    const isOurs = error instanceof Error && error.constructor === Error && !("code" in error);
    throw isOurs ? error : new Error("the database cannot be used", { cause: error });
  }
  return new Database(orm, options.clock ?? systemClock, () => waiting());
}

// Which control planes and workers live, and of which version they are. A migration that takes something away does not
// run while an older process is seen. A process says so again and again, and signs off at its end; one that was killed
// is forgotten after a minute.

import { defineEntity, p } from "@mikro-orm/core";
import type pg from "pg";
import type { Logger } from "../../kit/observability/log.ts";
import { newId } from "../../kit/process/id.ts";
import { applicationRole, lookupRole, ownerRole, workerRole } from "./roles.ts";
import type { SqlFunction } from "./sql-function.ts";
import type { Lookups } from "./transaction.ts";

const schema = defineEntity({
  name: "ProcessHeartbeat",
  tableName: "process_heartbeat",
  rowLevelSecurity: "force",
  policies: [{ name: "migration", roles: [lookupRole, ownerRole], using: "true", check: "true" }],
  properties: {
    id: p.uuid().primary(),
    process: p.text(),
    version: p.text(),
    /** The last migration that the process knows. */
    schema: p.text(),
    seen: p.datetime(3),
  },
});

/** A control plane or a worker that lives. */
export class ProcessHeartbeatRow extends schema.class {}
schema.setClass(ProcessHeartbeatRow);

const beatMs = 15_000;
/** A process that was not seen for so long is dead, or does not get to its database. */
const silentMs = 60_000;

const definer = "security definer set search_path = pg_catalog, public";

/** Functions by which processes say that they live. */
export const heartbeatFunctions: readonly SqlFunction[] = [
  {
    signature: "beat_process(uuid, text, text, text)",
    owner: lookupRole,
    callers: [applicationRole, workerRole],
    create: `create or replace function app.beat_process(id uuid, process text, version text, schema text)
      returns void language sql ${definer} as $$
        delete from public.process_heartbeat h where h.seen < now() - interval '1 hour';
        insert into public.process_heartbeat as h (id, process, version, schema, seen)
          values (beat_process.id, beat_process.process, beat_process.version, beat_process.schema, now())
          on conflict on constraint process_heartbeat_pkey do update set seen = excluded.seen;
      $$`,
  },
  {
    signature: "end_process(uuid)",
    owner: lookupRole,
    callers: [applicationRole, workerRole],
    create: `create or replace function app.end_process(id uuid)
      returns void language sql ${definer} as $$
        delete from public.process_heartbeat h where h.id = end_process.id
      $$`,
  },
];

/** What a process says of itself. */
export interface ProcessFacts {
  readonly process: "control-plane" | "worker";
  /** Its release. */
  readonly version: string;
  /** The last migration that it knows. */
  readonly schema: string;
}

/** Says that this process lives, until it is told to end. */
export class ProcessHeartbeat {
  readonly #id = newId();
  readonly #database: Lookups;
  readonly #facts: ProcessFacts;
  readonly #log: Logger;
  readonly #timer: NodeJS.Timeout;
  #beating: Promise<void> = Promise.resolve();
  #isSilent = false;

  constructor(database: Lookups, facts: ProcessFacts, log: Logger) {
    this.#database = database;
    this.#facts = facts;
    this.#log = log;
    this.#timer = setInterval(() => this.#beat(), beatMs).unref();
    this.#beat();
  }

  /** Signs off. A row that remains, since the database is away, is forgotten like that of a killed process. */
  async end(): Promise<void> {
    clearInterval(this.#timer);
    await this.#beating;
    await this.#database
      .lookup("end_process", [this.#id])
      .catch((err: unknown) => this.#log.debug({ err }, "the process could not sign off"));
  }

  #beat(): void {
    const { process, version, schema } = this.#facts;
    this.#beating = this.#database.lookup("beat_process", [this.#id, process, version, schema]).then(
      () => {
        this.#isSilent = false;
      },
      // As on an older schema, which has no such function: readiness says so.
      (err: unknown) => {
        if (!this.#isSilent) this.#log.warn({ err }, "the process cannot say that it lives");
        this.#isSilent = true;
      },
    );
  }
}

/** A process that was seen within the last minute. */
export interface LivingProcess extends ProcessFacts {
  readonly seenSeconds: number;
}

/** The processes that live, as the owner of the tables sees them. */
export async function livingProcesses(owner: pg.ClientBase): Promise<LivingProcess[]> {
  const { rows } = await owner.query<LivingProcess>(
    `select process, version, schema, extract(epoch from now() - seen)::int as "seenSeconds" from process_heartbeat
     where seen > now() - $1 * interval '1 millisecond' order by version, process`,
    [silentMs],
  );
  return rows;
}

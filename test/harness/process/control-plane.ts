// A control plane in this process: real database, real sockets, on a port of its own.

import type pg from "pg";
import { type CallLimits, controlPlaneSchema } from "../../../src/config.ts";
import { startControlPlane } from "../../../src/control-plane.ts";
import { controlServices } from "../../../src/control-services.ts";
import type { Analysis } from "../../../src/domain/analysis/analysis.ts";
import { createLog, type Logger } from "../../../src/kit/observability/log.ts";
import type { Clock } from "../../../src/kit/process/clock.ts";
import { readConfig } from "../../../src/kit/process/config.ts";
import { shutDown } from "../../../src/kit/process/shutdown.ts";
import { type Database, openDatabase } from "../../../src/store/connection/database.ts";
import { sharedAnalysis } from "../analysis.ts";
import { createTestDatabase, type TestDatabase } from "../database.ts";
import { testMasterKey } from "../sealer.ts";
import { type Caller, createCaller } from "../vector/dialect.ts";
import type { StoredEntry } from "../vector/evidence.ts";

/** What calls left behind in an organization, in order. */
export interface Recorded {
  readonly events: readonly string[];
  /** Actions of audit entries. */
  readonly actions: readonly string[];
  readonly entries: readonly StoredEntry[];
}

/** A running control plane and what tests need of it. */
export interface TestControlPlane {
  readonly baseUrl: string;
  readonly managementUrl: string;
  /** A connection of the tests' own, for setting up. */
  readonly database: Database;
  readonly urls: TestDatabase;
  /** A connection of the tests' own that sees the rows of every organization. Opened when first asked for. */
  witness(): Promise<pg.Client>;
  readonly caller: Caller;
  /** What vectors may name besides their world. */
  readonly variables: Readonly<Record<string, string>>;
  recorded(orgId: string): Promise<Recorded>;
  stop(): Promise<void>;
}

/** What tests may ask of their control plane. */
export interface TestControlPlaneOptions {
  /** Environment variables besides those that every one has. */
  readonly env?: Readonly<Record<string, string>>;
  readonly clock?: Clock;
  readonly variables?: Readonly<Record<string, string>>;
  /** A database that outlives the control plane. Without one it makes its own. */
  readonly urls?: TestDatabase;
  /** Where policies are analysed. Without one, in the pool that all tests of the process share. */
  readonly analysis?: Analysis;
  /** Where it logs to. Without one, errors go to standard output. */
  readonly log?: Logger;
  /** Limits of calls. Without them the usual ones. */
  readonly limits?: CallLimits;
}

/** Starts a control plane. */
export async function startTestControlPlane(options: TestControlPlaneOptions = {}): Promise<TestControlPlane> {
  const urls = options.urls ?? (await createTestDatabase());
  const env = {
    PORT: "0",
    MANAGEMENT_PORT: "0",
    HOST: "127.0.0.1",
    LOG_LEVEL: "error",
    // Calls may say where they come from: authentication requests are limited by address.
    TRUSTED_PROXY_HOPS: "1",
    POLICY_GUARD_REGISTRATION: "open",
    DATABASE_URL: urls.applicationUrl,
    POLICY_GUARD_MASTER_KEY: testMasterKey,
    ...options.env,
  };
  const log = options.log ?? createLog({ name: "test", level: "error" });
  const plane = await startControlPlane(readConfig(controlPlaneSchema, env), {
    log,
    clock: options.clock,
    analysis: options.analysis ?? sharedAnalysis(),
    limits: options.limits,
  });
  const database = await openDatabase({ url: urls.applicationUrl, poolSize: 4, clock: options.clock });
  let opened: Promise<pg.Client> | undefined;
  const witness = () => {
    opened ??= urls.openWitness();
    return opened;
  };
  const baseUrl = `http://127.0.0.1:${plane.port}`;
  return {
    baseUrl,
    managementUrl: `http://127.0.0.1:${plane.managementPort}`,
    database,
    urls,
    witness,
    caller: createCaller(baseUrl, controlServices),
    variables: options.variables ?? {},
    recorded: async (orgId) => recorded(await witness(), orgId),
    async stop() {
      await shutDown({ log, steps: plane.shutdownSteps });
      await Promise.all([database.close(), opened?.then((client) => client.end())]);
      if (options.urls === undefined) await urls.drop();
    },
  };
}

/** One row for each entry, or one without, each with the names of all events. */
const recordedText = `
  select names, action, leaf, leaf_hash, openings, actor_salt, address_salt, before_salt, after_salt
  from (select coalesce(array_agg(name order by created_at, id), '{}') as names from event where org_id = $1) events
  left join (
    select seq, action, leaf, leaf_hash, json_build_object('actor', to_json(actor)::text, 'address', to_json(address)::text,
        'before', before, 'after', after) as openings, actor_salt, address_salt, before_salt, after_salt
    from audit_entry join audit_opening using (org_id, seq) where org_id = $1
  ) entries on true
  order by seq`;

/** Vectors ask twice for each call. So it is one round trip, instead of the five of a transaction, and planned once. */
async function recorded(witness: pg.Client, orgId: string): Promise<Recorded> {
  const { rows } = await witness.query({ name: "recorded", text: recordedText, values: [orgId] });
  const entries = rows.filter(({ leaf }) => leaf !== null);
  return {
    events: rows[0]?.names ?? [],
    actions: entries.map(({ action }) => action),
    entries: entries.map(({ names: _, actor_salt, address_salt, before_salt, after_salt, ...entry }) => ({
      ...entry,
      salts: { actor: actor_salt, address: address_salt, before: before_salt, after: after_salt },
    })),
  };
}

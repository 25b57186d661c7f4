// A control plane in this process: real database, real sockets, on a port of its own.

import { randomBytes } from "node:crypto";
import pg from "pg";
import { controlPlaneSchema } from "../../src/config.ts";
import { startControlPlane } from "../../src/control-plane.ts";
import { controlServices } from "../../src/control-routes.ts";
import type { Clock } from "../../src/kit/clock.ts";
import { readConfig } from "../../src/kit/config.ts";
import { createLog, type Logger } from "../../src/kit/log.ts";
import { shutDown } from "../../src/kit/shutdown.ts";
import { type Database, openDatabase } from "../../src/store/database.ts";
import { createTestDatabase, type TestDatabase } from "./database.ts";
import { type Caller, createCaller } from "./dialect.ts";

/** What calls left behind in an organization, in order. */
export interface Recorded {
  readonly events: readonly string[];
  /** Actions of audit entries. */
  readonly actions: readonly string[];
}

/** A running control plane and what tests need of it. */
export interface TestControlPlane {
  readonly baseUrl: string;
  readonly managementUrl: string;
  /** A connection of the tests' own, for setting up. */
  readonly database: Database;
  readonly urls: TestDatabase;
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
  /** Where it logs to. Without one, errors go to standard output. */
  readonly log?: Logger;
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
    DATABASE_URL: urls.applicationUrl,
    POLICY_GUARD_MASTER_KEY: randomBytes(32).toString("base64"),
    ...options.env,
  };
  const log = options.log ?? createLog({ name: "test", level: "error" });
  const plane = await startControlPlane(readConfig(controlPlaneSchema, env), { log, clock: options.clock });
  const database = await openDatabase({ url: urls.applicationUrl, poolSize: 4, clock: options.clock });
  const witness = new pg.Client({ connectionString: urls.applicationUrl });
  await witness.connect();
  const baseUrl = `http://127.0.0.1:${plane.port}`;
  return {
    baseUrl,
    managementUrl: `http://127.0.0.1:${plane.managementPort}`,
    database,
    urls,
    caller: createCaller(baseUrl, controlServices),
    variables: options.variables ?? {},
    recorded: (orgId) => recorded(witness, orgId),
    async stop() {
      await shutDown({ log, steps: plane.shutdownSteps });
      await Promise.all([database.close(), witness.end()]);
      if (options.urls === undefined) await urls.drop();
    },
  };
}

/** Vectors ask twice for each call. So it is one round trip, by a client of its own, instead of the five of a transaction. */
async function recorded(client: pg.Client, orgId: string): Promise<Recorded> {
  const org = client.escapeLiteral(orgId);
  // Several statements at once answer with several results, which the driver's types do not know.
  const results = (await client.query(`
    select set_config('app.org_id', ${org}, false);
    select name from event where org_id = ${org} order by created_at, id;
    select action from audit_entry where org_id = ${org} order by seq`)) as unknown as readonly pg.QueryResult[];
  return {
    events: (results[1]?.rows ?? []).map(({ name }) => name),
    actions: (results[2]?.rows ?? []).map(({ action }) => action),
  };
}

// Organizations of a fleet. Those of another release are made by its own code, on its own schema: this file is then run as
// a program, with the checkout of the release and the plan of each organization.

import { execFile } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import type { Plan } from "../../../src/domain/billing/plan.ts";
import type { Database } from "../../../src/store/connection/database.ts";
import { setPlan } from "../vector/plan.ts";
import { createWorld, type World } from "../vector/world.ts";

/** What the load of a fleet knows of an organization. */
export interface FleetWorld extends Pick<World, "orgId" | "projectId" | "environment" | "tokens"> {
  /** The token of its directory. */
  readonly directoryToken: string;
}

/** Makes organizations on these plans. */
export async function makeWorlds(
  database: Database,
  plans: readonly Plan[],
  make = { createWorld, setPlan },
): Promise<FleetWorld[]> {
  const worlds: FleetWorld[] = [];
  for (const plan of plans) {
    const { orgId, projectId, environment, tokens, directory } = await make.createWorld(database);
    await make.setPlan(database, orgId, plan);
    worlds.push({ orgId, projectId, environment, tokens, directoryToken: await directory("scim") });
  }
  return worlds;
}

/** Makes them by the code of another release. */
export async function makeWorldsAs(
  checkout: string,
  databaseUrl: string,
  plans: readonly Plan[],
): Promise<readonly FleetWorld[]> {
  const { stdout } = await promisify(execFile)(process.execPath, [import.meta.filename, checkout, ...plans], {
    env: { PATH: process.env.PATH, DATABASE_URL: databaseUrl },
  });
  return JSON.parse(stdout);
}

async function main([checkout = "", ...plans]: readonly string[]): Promise<void> {
  const load = (file: string) => import(pathToFileURL(join(checkout, file)).href);
  const { openDatabase } = await load("src/store/connection/database.ts");
  const make = { ...(await load("test/harness/vector/world.ts")), ...(await load("test/harness/vector/plan.ts")) };
  const database = await openDatabase({ url: process.env.DATABASE_URL, poolSize: 2 });
  process.stdout.write(JSON.stringify(await makeWorlds(database, plans as Plan[], make))); // names of our own
  await database.close();
}

if (process.argv[1] === import.meta.filename) await main(process.argv.slice(2));

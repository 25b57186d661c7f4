// The command itself, as operators start it: what it prints, and that it finds its way to the database.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Database, openDatabase } from "../../src/store/connection/database.ts";
import { createTestDatabase, type TestDatabase } from "../harness/database.ts";
import { createWorld } from "../harness/vector/world.ts";

let urls: TestDatabase;
let database: Database;

beforeAll(async () => {
  urls = await createTestDatabase();
  database = await openDatabase({ url: urls.applicationUrl, poolSize: 2 });
});

afterAll(async () => {
  await database.close();
  await urls.drop();
});

test("the operator's command sets plans and lists organizations, in JSON", async () => {
  const { orgId } = await createWorld(database);
  const env = { ...process.env, DATABASE_URL: urls.applicationUrl, DATABASE_WORKER_URL: urls.workerUrl };
  const run = async (...args: string[]) => {
    const child = spawn(process.execPath, ["src/operator.ts", ...args, "--json"], { env });
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
    expect({ code: child.exitCode, stderr }).toEqual({ code: 0, stderr: "" });
    return JSON.parse(stdout);
  };
  expect(await run("set-plan", orgId, "growth", "--until", "2999-12-31")).toMatchObject({
    plan: "growth",
    operator_plan_until: "2999-12-31T23:59:59.999Z",
    dry_run: false,
  });
  expect(await run("list")).toMatchObject({
    orgs: expect.arrayContaining([expect.objectContaining({ org_id: orgId })]),
  });
});

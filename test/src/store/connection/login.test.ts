import pg from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { assertWorksOnQueue } from "../../../../src/store/connection/login.ts";
import { createTestDatabase, type TestDatabase } from "../../../harness/database.ts";

let urls: TestDatabase;

beforeAll(async () => {
  urls = await createTestDatabase();
});

afterAll(() => urls.drop());

async function check(connectionString: string): Promise<void> {
  const pool = new pg.Pool({ connectionString, max: 1 });
  try {
    await assertWorksOnQueue(pool, "DATABASE_WORKER_URL");
  } finally {
    await pool.end();
  }
}

it("only the worker's login may work on the job queue, and another is told which variable to set", async () => {
  await check(urls.workerUrl);
  await expect(check(urls.applicationUrl)).rejects.toThrow(
    /^the database login \S+ may not work on the job queue; set DATABASE_WORKER_URL to the worker's own login$/,
  );
});

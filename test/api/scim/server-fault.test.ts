// What a directory is told when the server itself fails: before the handler, while it finds out who is calling, and in
// the handler.

import { Writable } from "node:stream";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createLog } from "../../../src/kit/observability/log.ts";
import { startTestControlPlane, type TestControlPlane } from "../../harness/process/control-plane.ts";
import { connectDirectory, type Directory } from "./directory.ts";

let plane: TestControlPlane;
let directory: Directory;
const logged: string[] = [];

beforeAll(async () => {
  const destination = new Writable({
    write: (line, _, done) => {
      logged.push(String(line));
      done();
    },
  });
  plane = await startTestControlPlane({ log: createLog({ name: "test", level: "error", destination }) });
  directory = await connectDirectory(plane);
});

afterAll(() => plane.stop());

/** Does the work while the database has no such table. */
async function without(table: string, work: () => Promise<void>): Promise<void> {
  const witness = await plane.witness();
  await witness.query(`alter table ${table} rename to ${table}_away`);
  try {
    await work();
  } finally {
    await witness.query(`alter table ${table}_away rename to ${table}`);
  }
}

test.each(["token", "scim_user", "scim_group"])(
  "when the server cannot read the table %s, the answer is 500 in SCIM's form and says nothing about it",
  async (table) => {
    const { call, domain } = directory;
    const calls = [
      ["GET", table === "scim_group" ? "/Groups" : "/Users"],
      ["POST", "/Users", { userName: `ada@${domain}` }],
    ] as const;
    await without(table, async () => {
      for (const [verb, path, body] of calls) {
        const answer = await call(verb, path, body);
        expect(answer).toMatchObject({
          status: 500,
          body: { schemas: ["urn:ietf:params:scim:api:messages:2.0:Error"], status: "500", detail: expect.any(String) },
        });
        expect(answer.headers.get("content-type")).toContain("application/scim+json");
        expect(JSON.stringify(answer.body)).not.toMatch(/relation|does not exist|scim_|select/);
        const id = answer.headers.get("x-request-id");
        expect(id).toBeTruthy();
        expect(logged.some((line) => line.includes(String(id)) && line.includes(table))).toBe(true);
      }
    });
    // Nothing is left half done, and it goes on as if nothing had been.
    const { status, body } = await call("GET", "/Users");
    expect([status, body.totalResults]).toEqual([200, 0]);
    expect((await call("GET", "/Groups")).body.totalResults).toBe(4);
  },
);

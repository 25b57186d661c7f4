// Whoever has the log, or a dump of the database, joins nothing and calls nothing.

import type { JsonObject } from "@bufbuild/protobuf";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createLog } from "../../../src/kit/observability/log.ts";
import { createTestDatabase, type TestDatabase } from "../../harness/database.ts";
import { dumpOf, formsOf } from "../../harness/dump.ts";
import { startTestControlPlane, type TestControlPlane } from "../../harness/process/control-plane.ts";
import { somewhere } from "../../harness/vector/account-step.ts";
import { createWorld, type World } from "../../harness/vector/world.ts";

const lines: string[] = [];
let urls: TestDatabase;
let plane: TestControlPlane;
let world: World;

beforeAll(async () => {
  urls = await createTestDatabase();
  const destination = { write: (line: string) => void lines.push(line) };
  const log = createLog({ name: "test", level: "trace", destination });
  // With a mail server that is not there: mails wait as jobs.
  const env = { SMTP_URL: "smtp://guard:hunter-of-mails@127.0.0.1:1", MAIL_FROM: "guard@example.com" };
  plane = await startTestControlPlane({ urls, log, env });
  world = await createWorld(plane.database);
});

afterAll(async () => {
  await plane.stop();
  await urls.drop();
});

async function call(method: string, request: JsonObject, token = world.tokens.admin) {
  const named = { org_id: world.orgId, ...request };
  const answer = await plane.caller.call("rest", { method, request: named, token, headers: somewhere() });
  if (answer.status >= 300) throw new Error(`${method}: ${JSON.stringify(answer.body)}`);
  return answer.body as JsonObject;
}

test("no link, token or password of a mail server is in the log or in a dump of the database", async () => {
  const secrets = ["hunter-of-mails"];
  await call("TeamService/InviteMember", { email: "grace@example.com", role: "viewer" });
  const issued = await call("TokenService/IssueAdminToken", { name: "second" });
  const rotated = await call("TokenService/RotateToken", { token_id: String(issued.id) });
  await call("TokenService/RotateToken", { token_id: String(issued.id), overlap_seconds: 0 }, String(rotated.token));
  secrets.push(String(issued.token), String(rotated.token));
  const database = await dumpOf(urls);
  expect(lines.length).toBeGreaterThan(3);
  expect(database).toContain("send-mail");
  for (const [place, text] of [
    ["the log", lines.join("")],
    ["the database", database],
  ] as const) {
    expect(text, place).not.toMatch(/gr_lnk_\w/);
    const found = secrets.filter((secret) => formsOf(secret).some((form) => text.includes(form)));
    expect(found, place).toEqual([]);
  }
});

// The walk-through of docs/scim.md is played as it stands.

import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestControlPlane, type TestControlPlane } from "../../harness/process/control-plane.ts";
import { connectDirectory } from "./directory.ts";

let plane: TestControlPlane;

beforeAll(async () => {
  plane = await startTestControlPlane();
});

afterAll(() => plane.stop());

test("the walk-through with curl works", async () => {
  const { world, domain } = await connectDirectory(plane);
  const text = readFileSync(new URL("../../../docs/scim.md", import.meta.url), "utf8");
  const [, script = ""] = /```sh\n(# walk-through\n.*?)```/s.exec(text) ?? [];
  const variables = {
    ...{ BASE_URL: plane.baseUrl, ORG_ID: world.orgId },
    ...{ ADMIN_TOKEN: world.tokens.admin ?? "", DOMAIN: domain },
  };
  const { stdout } = await promisify(execFile)("bash", ["-euo", "pipefail", "-c", script], {
    env: { PATH: process.env.PATH, ...variables },
  });
  expect(stdout).toContain(`"userName":"ada@${domain}"`);
  expect(stdout).toContain('"roles":[{"value":"editor"');
  expect(stdout).toContain('"active":false');
});

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { print } from "../../gateway/print.ts";

const root = resolve(import.meta.dirname, "../..");
const work = mkdtempSync(join(tmpdir(), "policy-guard-print-"));
const options = {
  version: "9.9.9",
  servers: [{ url: "/", description: "here" }],
  examples: {},
  serversOf: () => undefined,
};
let descriptors: Uint8Array;

beforeAll(() => {
  const image = join(work, "descriptors.binpb");
  const args = ["build", "--as-file-descriptor-set", "--output", image];
  const { status } = spawnSync(join(root, "node_modules/.bin/buf"), args, { cwd: root, stdio: "inherit" });
  expect(status).toBe(0);
  descriptors = readFileSync(image);
});
afterAll(() => rmSync(work, { recursive: true }));

test("the same definitions print to the same bytes", () => {
  expect(print(descriptors, options)).toEqual(print(descriptors, options));
});

test("comments of the definitions become descriptions", () => {
  const document = JSON.parse(print(descriptors, options).openapi);
  expect(document.info.version).toBe("9.9.9");
  expect(document.paths["/v1/orgs/{org_id}/webhooks"].post.summary).toBe("Subscribes an address");
  expect(document.components.schemas.Webhook.properties.url.description).toBe("Delivery address.");
  expect(document.components.schemas.EventName.description).toContain("- `bundle.published`: A bundle was signed.");
  expect(document.components.responses.NotFound.description).toContain("`not_found`: No such resource");
});

test("a route is one line with its status, callers, scope, audit entry and events", () => {
  const lines = print(descriptors, options).routes.trimEnd().split("\n");
  const line = lines.find((text) => text.includes("BundleService/PublishBundle"));
  expect(line?.split(/ +/)).toEqual([
    "POST",
    "/v1/orgs/{org_id}/projects/{project_id}/envs/{env_name}/bundles/publish",
    "BundleService/PublishBundle",
    "201",
    "member:editor,ci,admin",
    "scope=org_id,project_id",
    "audit=bundle.publish",
    "emits=bundle.published,bundle.activated",
  ]);
});

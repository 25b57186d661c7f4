// The active bundle of a control plane that hears nothing of what its database says.

import { afterAll, beforeAll, expect, it } from "vitest";
import { SigningKeys } from "../../../src/domain/bundle/signing-keys.ts";
import { systemClock } from "../../../src/kit/process/clock.ts";
import { createSealer, parseMasterKeys } from "../../../src/platform/seal.ts";
import { openDatabase } from "../../../src/store/connection/database.ts";
import { bundlesOf } from "../../harness/bundles.ts";
import { createTestDatabase, type TestDatabase } from "../../harness/database.ts";
import { type PostgresProxy, startPostgresProxy } from "../../harness/net/postgres-proxy.ts";
import { type Installation, startInstallation } from "../../harness/process/installation.ts";

let urls: TestDatabase;
let proxy: PostgresProxy;
let home: Installation;

beforeAll(async () => {
  urls = await createTestDatabase();
  proxy = await startPostgresProxy(urls.applicationUrl);
  home = await startInstallation({ urls, env: { DATABASE_LISTEN_URL: proxy.url } });
});

afterAll(async () => {
  await home.stop();
  proxy.close();
});

async function pulledVersion(): Promise<number> {
  const headers = { authorization: `Bearer ${home.token}` };
  const response = await fetch(`${home.url}/v1/bundles/latest`, { headers });
  const { manifest } = (await response.json()) as { manifest: { payload: string } };
  return JSON.parse(Buffer.from(manifest.payload, "base64url").toString()).version;
}

/** Publishes as another process of the control plane. */
async function publishElsewhere(): Promise<number> {
  const database = await openDatabase({ url: urls.applicationUrl, poolSize: 2, clock: systemClock });
  const sealer = createSealer({ masterKeys: parseMasterKeys(home.masterKey) });
  const { world } = home;
  const path = { projectId: world.projectId, environment: world.environment };
  const bundles = bundlesOf(database, new SigningKeys(database, sealer));
  const { bundle } = await bundles.publish(world.caller, path, { activate: true });
  await database.close();
  return bundle.version;
}

it("has what the same process put into force, before the database's word of it", async () => {
  proxy.stall();
  for (let round = 0; round < 3; round += 1) {
    const version = await home.publish();
    expect(await pulledVersion()).toBe(version);
  }
});

it("has what another process put into force while the connection for such words is broken", async () => {
  proxy.cut();
  const before = await home.publish();
  expect(await pulledVersion()).toBe(before);
  expect(await publishElsewhere()).toBe(before + 1);
  expect(await pulledVersion()).toBe(before + 1);
});

// A control plane with a database of its own and an organization whose project has an active bundle.

import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { controlPlaneSchema } from "../../src/config.ts";
import { startControlPlane } from "../../src/control-plane.ts";
import { ownAnalysis } from "../../src/domain/analysis/own-analysis.ts";
import { Bundles } from "../../src/domain/bundle/bundle.ts";
import { createGateKeeper } from "../../src/domain/bundle/module.ts";
import { SigningKeys } from "../../src/domain/bundle/signing-keys.ts";
import { Tokens } from "../../src/domain/identity/token.ts";
import { Policies } from "../../src/domain/policy/policy.ts";
import { Projects } from "../../src/domain/project/project.ts";
import { Organizations } from "../../src/domain/tenancy/organization.ts";
import { gateMeasures } from "../../src/gate-measures.ts";
import { createLog } from "../../src/kit/observability/log.ts";
import { systemClock } from "../../src/kit/process/clock.ts";
import { readConfig } from "../../src/kit/process/config.ts";
import { createSealer, parseMasterKeys } from "../../src/platform/seal.ts";
import { openDatabase } from "../../src/store/connection/database.ts";
import { adminCaller } from "../../test/harness/vector/world.ts";

/** What the bench needs of the server. */
export interface BenchControlPlane {
  readonly port: number;
  readonly orgId: string;
  readonly projectId: string;
  readonly adminToken: string;
  readonly runtimeToken: string;
  readonly masterKey: string;
}

const environment = "prod";
const databaseUrl = process.argv[2] ?? "";
const masterKey = randomBytes(32).toString("base64");
const database = await openDatabase({ url: databaseUrl, poolSize: 2 });
const { id: orgId } = await new Organizations(database).create({ name: "Bench" });
const caller = adminCaller(orgId);
const { id: projectId } = await new Projects(database).create(caller, { name: "Bench" });
const source = readFileSync(new URL("../../examples/policies/starter.yaml", import.meta.url), "utf8");
await new Policies(database, systemClock, ownAnalysis()).create(caller, {
  document: source,
  scope: { appId: projectId },
});
const keys = new SigningKeys(database, createSealer({ masterKeys: parseMasterKeys(masterKey) }));
const analysis = ownAnalysis();
const gates = createGateKeeper({ database, analysis, measures: gateMeasures({ database, clock: systemClock }) });
await new Bundles(database, { keys, analysis, gates }).publish(caller, { projectId, environment }, { activate: true });
const tokens = new Tokens(database);
const admin = await tokens.issue(caller, "admin", { name: "bench" });
const runtime = await tokens.issue(caller, "runtime", { name: "bench", projectId, environment });
await database.close();
const plane = await startControlPlane(
  readConfig(controlPlaneSchema, {
    PORT: "0",
    MANAGEMENT_PORT: "0",
    HOST: "127.0.0.1",
    LOG_LEVEL: "warn",
    DATABASE_URL: databaseUrl,
    POLICY_GUARD_MASTER_KEY: masterKey,
  }),
  { log: createLog({ name: "bench", level: "warn" }) },
);
const told: BenchControlPlane = {
  port: plane.port,
  orgId,
  projectId,
  adminToken: admin.value,
  runtimeToken: runtime.value,
  masterKey,
};
process.send?.(told);

// First start: an organization to try things with. Creates it once, publishes the starter policy, and writes its
// credentials to bootstrap.json in the data folder. A later start finds the file and brings only its addresses up to
// date.

import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CredentialKind } from "../gen/policyguard/options/v1/options_pb.ts";
import { bootstrapSchema } from "./config.ts";
import { ownAnalysis } from "./domain/analysis/own-analysis.ts";
import { Bundles } from "./domain/bundle/bundle.ts";
import { createGateKeeper } from "./domain/bundle/module.ts";
import { SigningKeys } from "./domain/bundle/signing-keys.ts";
import { addAccount, addMember, requireAccount } from "./domain/identity/account.ts";
import { PasswordHasher } from "./domain/identity/password-hash.ts";
import { Tokens } from "./domain/identity/token.ts";
import { parseEmail } from "./domain/mail/email.ts";
import { Policies } from "./domain/policy/policy.ts";
import { Projects } from "./domain/project/project.ts";
import { Organizations } from "./domain/tenancy/organization.ts";
import { gateMeasures } from "./gate-measures.ts";
import { hostToCall } from "./kit/net/host.ts";
import { systemClock } from "./kit/process/clock.ts";
import { type Config, productVariables, readConfig } from "./kit/process/config.ts";
import { newId } from "./kit/process/id.ts";
import { runOrSay } from "./kit/process/start-failure.ts";
import type { Caller } from "./kit/rpc/context.ts";
import { createSealer, parseMasterKeys } from "./platform/seal.ts";
import { type Database, openDatabase } from "./store/connection/database.ts";
import { findAccount, lookUpAccount, setPassword } from "./store/identity/account.ts";

const environment = "prod";

type BootstrapConfig = Config<typeof bootstrapSchema>;

await runOrSay(async () => {
  const config = readConfig(bootstrapSchema, process.env, productVariables);
  const file = join(config.dataFolder, "bootstrap.json");
  if (existsSync(file)) {
    keep(file, { ...JSON.parse(readFileSync(file, "utf8")), ...addresses(config) });
    return 0;
  }
  const database = await openDatabase({ url: config.databaseUrl, poolSize: 2 });
  try {
    keep(file, { ...addresses(config), ...(await createDemo(database, config)) });
  } finally {
    await database.close();
  }
  return 0;
});

// Written to another file and renamed, so that an interrupted start begins again and never finds half a file.
function keep(file: string, facts: Record<string, string>): void {
  writeFileSync(`${file}.new`, `${JSON.stringify(facts, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

// Ports may differ from start to start.
function addresses(config: BootstrapConfig): Record<string, string> {
  const host = hostToCall(config.host);
  return {
    base_url: `http://${host}:${config.port}`,
    runtime_url: `http://${host}:${config.runtimePort}`,
    console_url: `http://${host}:${config.port}/`,
  };
}

async function createDemo(database: Database, config: BootstrapConfig): Promise<Record<string, string>> {
  const keys = new SigningKeys(database, createSealer({ masterKeys: parseMasterKeys(config.masterKey) }));
  const tokens = new Tokens(database);
  const organization = await new Organizations(database).create({ name: "Demo", plan: config.defaultPlan });
  const caller = systemCaller(organization.id);
  const project = await new Projects(database).create(caller, { name: "Assistant" });
  const source = readFileSync(new URL("../examples/policies/starter.yaml", import.meta.url), "utf8");
  // The starter policy is the product's own.
  const analysis = ownAnalysis();
  await new Policies(database, systemClock, analysis).create(caller, {
    document: source,
    scope: { appId: project.id },
  });
  const gates = createGateKeeper({ database, analysis, measures: gateMeasures({ database, clock: systemClock }) });
  await new Bundles(database, { keys, analysis, gates }).publish(
    caller,
    { projectId: project.id, environment },
    { activate: true },
  );
  const issue = async (kind: "admin" | "ci" | "runtime") => {
    const scope =
      kind === "admin" ? {} : kind === "ci" ? { projectId: project.id } : { projectId: project.id, environment };
    // bootstrap.json is used for as long as the data folder exists, so its tokens must not expire.
    const end = kind === "admin" ? { neverExpires: true } : {};
    return (await tokens.issue(caller, kind, { name: `demo ${kind}`, ...scope, ...end })).value;
  };
  return {
    org_id: organization.id,
    project_id: project.id,
    environment,
    admin_token: await issue("admin"),
    ci_token: await issue("ci"),
    runtime_token: await issue("runtime"),
    ...(await createOwner(database, caller)),
  };
}

// An interrupted start may have left the account behind: it gets the new password and owns this organization too.
async function createOwner(database: Database, caller: Caller) {
  const email = parseEmail("owner@example.com");
  const password = randomBytes(15).toString("base64url");
  const passwordHash = await new PasswordHasher().hash(password);
  const found = await lookUpAccount(database, email.key);
  await database.accountTransaction(found?.id ?? newId(), async (tx) => {
    if (found === undefined) await addAccount(tx, { email, name: "Demo owner", passwordHash, isVerified: false });
    else await setPassword(tx, passwordHash);
    const account = requireAccount(await findAccount(tx));
    const organization = await tx.openOrganization(caller.orgId, caller);
    const { id } = addMember(organization, account, "owner");
    organization.changed({ resource: `member/${id}`, before: null, after: { email: email.text, role: "owner" } });
  });
  return { owner_email: email.text, owner_password: password };
}

/** The product itself, as the author of what it creates. */
function systemCaller(orgId: string): Caller {
  return {
    credential: {
      kind: CredentialKind.ADMIN,
      id: newId(),
      label: "first start",
      orgId,
      projectId: undefined,
      environment: undefined,
      roles: new Map(),
    },
    orgId,
    role: undefined,
    audit: { action: "bootstrap", requestId: "first-start", address: "" },
  };
}

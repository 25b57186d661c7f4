// First start: an organization to try things with. Creates it once, publishes the starter policy, and writes its
// credentials to bootstrap.json in the data folder. A later start finds the file and brings only its addresses up to date.

import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CredentialKind } from "../gen/policyguard/options/v1/options_pb.ts";
import { bootstrapSchema } from "./config.ts";
import { addAccount, addMember, requireAccount } from "./domain/account.ts";
import { Bundles } from "./domain/bundle.ts";
import { parseEmail } from "./domain/email.ts";
import { Organizations } from "./domain/organization.ts";
import { PasswordHasher } from "./domain/password-hash.ts";
import { Policies } from "./domain/policy.ts";
import { Projects } from "./domain/project.ts";
import { SigningKeys } from "./domain/signing-keys.ts";
import { Tokens } from "./domain/token.ts";
import { systemClock } from "./kit/clock.ts";
import { productVariables, readConfig } from "./kit/config.ts";
import type { Caller } from "./kit/context.ts";
import { newId } from "./kit/id.ts";
import { createSealer, parseMasterKeys } from "./kit/seal.ts";
import { findAccount, lookUpAccount, setPassword } from "./store/account.ts";
import { type Database, openDatabase } from "./store/database.ts";

const environment = "prod";
const config = readConfig(bootstrapSchema, process.env, productVariables);
const file = join(config.dataFolder, "bootstrap.json");

if (existsSync(file)) {
  keep({ ...JSON.parse(readFileSync(file, "utf8")), ...addresses() });
} else {
  const database = await openDatabase({ url: config.databaseUrl, poolSize: 2 });
  try {
    keep({ ...addresses(), ...(await createDemo(database)) });
  } finally {
    await database.close();
  }
}

// Renamed into place, so that a start that is interrupted begins anew rather than with half a file.
function keep(facts: Record<string, string>): void {
  writeFileSync(`${file}.new`, `${JSON.stringify(facts, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

// Ports may differ from start to start.
function addresses(): Record<string, string> {
  return {
    base_url: `http://127.0.0.1:${config.port}`,
    runtime_url: `http://127.0.0.1:${config.runtimePort}`,
    console_url: `http://127.0.0.1:${config.port}/`,
  };
}

async function createDemo(database: Database): Promise<Record<string, string>> {
  const keys = new SigningKeys(database, createSealer({ masterKeys: parseMasterKeys(config.masterKey) }));
  const tokens = new Tokens(database);
  const organization = await new Organizations(database).create({ name: "Demo" });
  const caller = systemCaller(organization.id);
  const project = await new Projects(database).create(caller, { name: "Support assistant" });
  const source = readFileSync(new URL("../examples/policies/starter.yaml", import.meta.url), "utf8");
  await new Policies(database, systemClock).create(caller, { document: source, scope: { appId: project.id } });
  await new Bundles(database, keys).publish(caller, { projectId: project.id, environment }, { activate: true });
  const issue = async (kind: "admin" | "ci" | "runtime") => {
    const scope =
      kind === "admin" ? {} : kind === "ci" ? { projectId: project.id } : { projectId: project.id, environment };
    return (await tokens.issue(caller, kind, { name: `demo ${kind}`, ...scope })).value;
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

// A start that was interrupted has left the account behind: it gets the new password and owns this organization too.
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

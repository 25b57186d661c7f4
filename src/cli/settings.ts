// Which server a command calls, and with which credential: from the environment, else from the stored login.

import { mkdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { defineSchema, type Environment, productVariables, readConfig } from "../kit/process/config.ts";
import { type Failure, fileFailure, usageFailure } from "./failure.ts";
import { replaceFile } from "./file.ts";

/** Variables of the `policy-guard` command. */
export const cliSchema = defineSchema({
  url: {
    name: "POLICY_GUARD_URL",
    kind: "url",
    schemes: ["http", "https"],
    description: "The control plane.",
  },
  token: { name: "POLICY_GUARD_TOKEN", kind: "string", secret: true, description: "The token to call it with." },
  orgId: { name: "POLICY_GUARD_ORG", kind: "string", description: "Id of the organization." },
  webhookSecret: {
    name: "POLICY_GUARD_WEBHOOK_SECRET",
    kind: "string",
    secret: true,
    description: "The secret of the webhook whose deliveries `listen` verifies.",
  },
  configFolder: {
    name: "XDG_CONFIG_HOME",
    kind: "string",
    description: "Where settings of programs are; what `login` keeps lies in the folder `policy-guard` below it.",
  },
});

/** A server, a token for it, and the organization that commands are about. */
export interface Connection {
  readonly url: string;
  readonly token: string;
  /** Undefined when it is not set anywhere. */
  readonly orgId: string | undefined;
}

/** The connection to use. A stored token is used only for the server that it was stored for. */
export function readConnection(env: Environment): Connection {
  const given = readConfig(cliSchema, env, productVariables);
  if (given.url !== undefined && given.token !== undefined) {
    return { url: plainUrl(given.url), token: given.token, orgId: given.orgId };
  }
  const kept = readKept(credentialsPath(env));
  if (given.url !== undefined && plainUrl(given.url) !== kept?.url) throw missing("token", "POLICY_GUARD_TOKEN");
  if (kept === undefined) throw missing(given.token === undefined ? "server" : "address", "POLICY_GUARD_URL");
  return { url: kept.url, token: given.token ?? kept.token, orgId: given.orgId ?? kept.orgId };
}

/** The address in the form in which it is stored and compared. */
export function plainUrl(url: string): string {
  return url.replace(/\/+$/, "");
}

function missing(what: string, variable: string): Failure {
  return usageFailure(`no ${what} is known`, `Run \`policy-guard login\`, or set ${variable}.`);
}

/** The file in which `login` stores a connection. */
function credentialsPath({ XDG_CONFIG_HOME: given }: Environment): string {
  // The XDG specification demands that relative paths are ignored.
  const base = given !== undefined && isAbsolute(given) ? given : join(homedir(), ".config");
  return join(base, "policy-guard", "credentials.json");
}

/** Stores a connection where only this user can read it. Returns the file. */
export function keepConnection({ url, token, orgId }: Connection, env: Environment): string {
  const path = credentialsPath(env);
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  } catch (error) {
    throw fileFailure(dirname(path), error);
  }
  replaceFile(path, `${JSON.stringify({ url, token, org_id: orgId ?? null }, null, 2)}\n`, 0o600);
  return path;
}

/** Deletes the stored connection. Returns its file, and whether it existed. */
export function forgetConnection(env: Environment): { readonly path: string; readonly wasThere: boolean } {
  const path = credentialsPath(env);
  const wasThere = statSync(path, { throwIfNoEntry: false }) !== undefined;
  try {
    rmSync(path, { force: true });
  } catch (error) {
    throw fileFailure(path, error);
  }
  return { path, wasThere };
}

function readKept(path: string): Connection | undefined {
  const file = statSync(path, { throwIfNoEntry: false });
  if (file === undefined) return undefined;
  if ((file.mode & 0o077) !== 0) throw usageFailure(`${path}: others may read this file`, `Run: chmod 600 ${path}`);
  const { url, token, org_id: orgId } = parsed(path);
  if (typeof url !== "string" || typeof token !== "string") {
    throw usageFailure(`${path}: this is not what \`policy-guard login\` writes`, "Run `policy-guard login` again.");
  }
  return { url, token, orgId: typeof orgId === "string" ? orgId : undefined };
}

function parsed(path: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(readFileSync(path, "utf8"));
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch (error) {
    // The parser's own message would quote the file, which has a token.
    if (error instanceof SyntaxError) return {};
    throw fileFailure(path, error);
  }
}

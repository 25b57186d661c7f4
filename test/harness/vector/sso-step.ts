// Steps of vectors about single sign-on: a provider, and people on their way through it.

import type { JsonObject } from "@bufbuild/protobuf";
import { newId } from "../../../src/kit/process/id.ts";
import { SsoRow } from "../../../src/store/identity/sso.ts";
import { SsoDomainRow } from "../../../src/store/identity/sso-domain.ts";
import { type FakeIdp, startFakeIdp } from "../net/fake-idp.ts";
import { somewhere } from "./account-step.ts";
import type { SceneStep, Stage } from "./scene-step.ts";
import { createWorld, type World } from "./world.ts";

/** Nothing listens there. */
const away = "http://127.0.0.1:1";
const providers = new WeakMap<Stage, Promise<FakeIdp>>();

/** Steps about single sign-on; see scene.ts. */
export const ssoSteps: Readonly<Record<string, SceneStep>> = {
  $idp: async (_request, stage) => {
    const { issuer, clientId, clientSecret } = await providerOf(stage);
    return { issuer, client_id: clientId, client_secret: clientSecret };
  },
  $sso: async ({ issuer, ...change }, stage, world) => {
    const own = await ownDomain(stage, world);
    if (issuer !== undefined) await addUnasked(stage, world, String(issuer));
    else await configure(stage, world, change);
    return own;
  },
  $domain: async (_request, stage, world) => ownDomain(stage, world),
  $arrival: async ({ lost, ...request }, stage, world) => {
    const arrival = await arrive(stage, world, request);
    if (lost === true) await moveAway(stage, world);
    return arrival;
  },
  $sso_code: async (request, stage, world) => {
    const arrival = await arrive(stage, world, { return_to: "/console", ...request });
    const { headers } = await stage.plane.caller.call("rest", {
      method: "SsoService/FinishSso",
      request: arrival,
      headers: somewhere(),
    });
    const code = new URL(headers.get("location") ?? "").hash.replace("#sso_code=", "");
    return { code, flow_token: arrival.flow_token ?? "" };
  },
  $verified_elsewhere: async (_request, stage) => {
    const other = await createWorld(stage.plane.database);
    return ownDomain(stage, other);
  },
  $text: async ({ name, text }, { dns }) => {
    dns.texts.set(String(name), [String(text)]);
    return {};
  },
};

// It lives as long as the process: its socket holds nobody up.
function providerOf(stage: Stage): Promise<FakeIdp> {
  const known = providers.get(stage) ?? startFakeIdp(stage);
  providers.set(stage, known);
  return known;
}

async function ownDomain({ plane }: Stage, { orgId }: World): Promise<JsonObject> {
  const [id, domain] = [newId(), `d${newId().slice(0, 13)}.example`];
  await plane.database.systemTransaction(orgId, async (tx) => {
    const challenge = "policy-guard=test";
    tx.em.create(SsoDomainRow, { orgId, id, domain, challenge, createdAt: tx.now, verifiedAt: tx.now });
  });
  return { domain_id: id, domain };
}

async function configure(stage: Stage, { orgId, tokens }: World, change: JsonObject): Promise<void> {
  const { issuer, clientId, clientSecret } = await providerOf(stage);
  const provider = { issuer, client_id: clientId, client_secret: clientSecret };
  const answer = await stage.plane.caller.call("rest", {
    method: "SsoService/ConfigureSso",
    request: { org_id: orgId, join: "member", ...provider, ...change },
    token: tokens.admin,
  });
  if (answer.status !== 200) throw new Error(`single sign-on was not set up: ${JSON.stringify(answer.body)}`);
}

async function addUnasked({ plane }: Stage, { orgId }: World, issuer: string): Promise<void> {
  await plane.database.systemTransaction(orgId, async (tx) => {
    const roles = { defaultRole: "viewer" as const, join: "member" as const, roleClaim: null, roleMapping: {} };
    const times = { sessionsSince: tx.now, createdAt: tx.now, updatedAt: tx.now };
    tx.em.create(SsoRow, { orgId, issuer, clientId: "x", clientSecret: null, enforced: false, ...roles, ...times });
  });
}

async function moveAway({ plane }: Stage, { orgId }: World): Promise<void> {
  await plane.database.systemTransaction(orgId, async (tx) => {
    for (const table of ["sso_configuration", "sso_login"]) {
      await tx.sql(`update ${table} set issuer = ? where org_id = ?`, [away, orgId]);
    }
  });
}

async function arrive(stage: Stage, { orgId }: World, { email, ...request }: JsonObject): Promise<JsonObject> {
  const idp = await providerOf(stage);
  const { body } = await stage.plane.caller.call("rest", {
    method: "SsoService/StartSso",
    request: { org_id: orgId, redirect: false, ...request },
    headers: somewhere(),
  });
  const { authorization_url, flow_token } = body as Record<string, string>;
  const subject = { sub: newId(), email: String(email), email_verified: true, name: "Ada Lovelace" };
  return { ...idp.authorize(String(authorization_url), subject), flow_token: String(flow_token) };
}

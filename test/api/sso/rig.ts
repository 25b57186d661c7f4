// A control plane, a name server and whoever signs in: what the tests of single sign-on share.

import { randomBytes } from "node:crypto";
import type { JsonObject } from "@bufbuild/protobuf";
import { somewhere } from "../../harness/account-step.ts";
import { startTestControlPlane, type TestControlPlane } from "../../harness/control-plane.ts";
import type { TestAnswer } from "../../harness/dialect.ts";
import { type DnsServer, startDnsServer } from "../../harness/dns-server.ts";
import type { Callback, FakeIdp, Subject } from "../../harness/fake-idp.ts";
import { createRunningClock, type MovedClock } from "../../harness/moved-clock.ts";
import { createWorld, tokenOf, type World } from "../../harness/world.ts";

/** Where the control plane says that browsers reach it. */
export const publicUrl = "http://guard.test";

/** A sign-in that has begun. */
export interface Started {
  readonly authorizationUrl: string;
  readonly flowToken: string;
}

/** An organization whose members sign in at a provider. */
export interface SsoHome {
  readonly world: World;
  /** Its verified domain. */
  readonly domain: string;
  readonly idp: FakeIdp;
}

/** What the tests share. */
export interface SsoRig {
  readonly plane: TestControlPlane;
  readonly dns: DnsServer;
  readonly clock: MovedClock;
  /** Calls as somebody, over REST. */
  call(
    method: string,
    request: JsonObject,
    as?: { world: World; persona: string } | { token: string },
  ): Promise<TestAnswer>;
  /** An organization with single sign-on at the provider. */
  home(idp: FakeIdp, change?: JsonObject): Promise<SsoHome>;
  /** Claims a domain for an organization, and verifies it when it is told to. */
  claim(world: World, domain: string): Promise<TestAnswer>;
  start(home: SsoHome, change?: JsonObject): Promise<Started>;
  finish(started: Started, callback: Partial<Callback>): Promise<TestAnswer>;
  /** A whole sign-in. */
  signIn(home: SsoHome, subject: Subject): Promise<TestAnswer>;
  stop(): Promise<void>;
}

/** Starts what the tests share. */
export async function startSsoRig(): Promise<SsoRig> {
  const clock = createRunningClock();
  const dns = await startDnsServer();
  const env = {
    POLICY_GUARD_ALLOW_NETWORKS: "127.0.0.0/8",
    POLICY_GUARD_DNS_SERVERS: dns.address,
    PUBLIC_URL: publicUrl,
  };
  const plane = await startTestControlPlane({ clock, env });
  const rig: SsoRig = {
    plane,
    dns,
    clock,
    async call(method, request, as) {
      const token = as === undefined ? undefined : "token" in as ? as.token : await tokenOf(as.world, as.persona);
      return plane.caller.call("rest", { method, request, token, headers: somewhere() });
    },
    async home(idp, change = {}) {
      const world = await createWorld(plane.database);
      const domain = `d${randomBytes(6).toString("hex")}.example`;
      await succeed(rig.claim(world, domain));
      const home = { world, domain, idp };
      await succeed(rig.call("SsoService/ConfigureSso", configuration(home, change), { world, persona: "admin" }));
      return home;
    },
    async claim(world, domain) {
      const as = { world, persona: "admin" };
      const claimed = await succeed(rig.call("SsoService/AddSsoDomain", { org_id: world.orgId, domain }, as));
      const { id, record_name, record_value } = claimed.body as Record<string, string>;
      dns.texts.set(String(record_name), ["v=spf1 -all", String(record_value)]);
      return rig.call("SsoService/VerifySsoDomain", { org_id: world.orgId, domain_id: String(id) }, as);
    },
    async start({ world }, change = {}) {
      const request = { org_id: world.orgId, redirect: false, ...change };
      const { body } = await succeed(rig.call("SsoService/StartSso", request));
      const { authorization_url: authorizationUrl, flow_token: flowToken } = body as Record<string, string>;
      return { authorizationUrl: String(authorizationUrl), flowToken: String(flowToken) };
    },
    finish: ({ flowToken }, callback) => rig.call("SsoService/FinishSso", { ...callback, flow_token: flowToken }),
    async signIn(home, subject) {
      const started = await rig.start(home);
      return rig.finish(started, home.idp.authorize(started.authorizationUrl, subject));
    },
    async stop() {
      await plane.stop();
      await dns.close();
    },
  };
  return rig;
}

/** The request that sets single sign-on up. */
export function configuration({ world, idp }: Pick<SsoHome, "world" | "idp">, change: JsonObject = {}): JsonObject {
  return {
    org_id: world.orgId,
    issuer: idp.issuer,
    client_id: idp.clientId,
    client_secret: idp.clientSecret,
    join: "member",
    ...change,
  };
}

/** Somebody with a confirmed address at the home's domain. */
export function ada({ domain }: Pick<SsoHome, "domain">, change: Record<string, unknown> = {}): Subject {
  return { sub: "ada", email: `ada@${domain}`, email_verified: true, name: "Ada Lovelace", ...change };
}

/** The answer of a call that has to succeed. */
export async function succeed(call: Promise<TestAnswer>): Promise<TestAnswer> {
  const answer = await call;
  if (answer.status >= 400) throw new Error(`answered ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer;
}

/** The access token of a finished sign-in. */
export function accessTokenOf(answer: TestAnswer): string {
  const { tokens } = answer.body as { tokens: { access_token: string } | null };
  if (tokens === null) throw new Error("there is no session");
  return tokens.access_token;
}

// A control plane, a name server and whoever signs in: what the tests of single sign-on share.

import { randomBytes } from "node:crypto";
import type { JsonObject } from "@bufbuild/protobuf";
import { createRunningClock, type MovedClock } from "../../../harness/moved-clock.ts";
import { type DnsServer, startDnsServer } from "../../../harness/net/dns-server.ts";
import type { Callback, FakeIdp, Subject } from "../../../harness/net/fake-idp.ts";
import { startTestControlPlane, type TestControlPlane } from "../../../harness/process/control-plane.ts";
import { somewhere } from "../../../harness/vector/account-step.ts";
import type { TestAnswer } from "../../../harness/vector/dialect.ts";
import { createWorld, tokenOf, type World } from "../../../harness/vector/world.ts";

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

/** Who calls: a persona of an organization, or whoever has a token. */
type As = { readonly world: World; readonly persona: string } | { readonly token: string };

/** What the tests share. */
export class SsoRig {
  readonly plane: TestControlPlane;
  readonly dns: DnsServer;
  readonly clock: MovedClock;

  constructor(parts: { readonly plane: TestControlPlane; readonly dns: DnsServer; readonly clock: MovedClock }) {
    this.plane = parts.plane;
    this.dns = parts.dns;
    this.clock = parts.clock;
  }

  /** Calls as somebody, or as nobody, over REST. */
  async call(method: string, request: JsonObject, as?: As): Promise<TestAnswer> {
    const token = as === undefined || "token" in as ? as?.token : await tokenOf(as.world, as.persona);
    return this.plane.caller.call("rest", { method, request, token, headers: somewhere() });
  }

  /** An organization with single sign-on at the provider. */
  async home(idp: FakeIdp, change: JsonObject = {}): Promise<SsoHome> {
    const world = await createWorld(this.plane.database);
    const domain = `d${randomBytes(6).toString("hex")}.example`;
    await succeed(this.claim(world, domain));
    const home = { world, domain, idp };
    await succeed(this.call("SsoService/ConfigureSso", configuration(home, change), { world, persona: "admin" }));
    return home;
  }

  /** Claims a domain for an organization, publishes its record and verifies it. */
  async claim(world: World, domain: string): Promise<TestAnswer> {
    const as = { world, persona: "admin" };
    const claimed = await succeed(this.call("SsoService/AddSsoDomain", { org_id: world.orgId, domain }, as));
    const { id, record_name, record_value } = claimed.body as Record<string, string>;
    this.dns.texts.set(String(record_name), ["v=spf1 -all", String(record_value)]);
    return this.call("SsoService/VerifySsoDomain", { org_id: world.orgId, domain_id: String(id) }, as);
  }

  /** Begins a sign-in. */
  async start({ world }: SsoHome, change: JsonObject = {}): Promise<Started> {
    const request = { org_id: world.orgId, redirect: false, ...change };
    const { body } = await succeed(this.call("SsoService/StartSso", request));
    const { authorization_url: authorizationUrl, flow_token: flowToken } = body as Record<string, string>;
    return { authorizationUrl: String(authorizationUrl), flowToken: String(flowToken) };
  }

  /** Finishes one. */
  finish({ flowToken }: Started, callback: Partial<Callback>): Promise<TestAnswer> {
    return this.call("SsoService/FinishSso", { ...callback, flow_token: flowToken });
  }

  /** A whole sign-in. */
  async signIn(home: SsoHome, subject: Subject): Promise<TestAnswer> {
    const started = await this.start(home);
    return this.finish(started, home.idp.authorize(started.authorizationUrl, subject));
  }

  async stop(): Promise<void> {
    await this.plane.stop();
    await this.dns.close();
  }
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
  return new SsoRig({ plane: await startTestControlPlane({ clock, env }), dns, clock });
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

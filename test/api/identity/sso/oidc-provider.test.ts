// A whole sign-in at a real provider (oidc-provider), without a browser: pages are followed and forms posted as a
// browser would.

import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type RealIdp, startRealIdp } from "../../../harness/net/real-idp.ts";
import { createWorld } from "../../../harness/vector/world.ts";
import { publicUrl, type SsoRig, startSsoRig, succeed } from "./rig.ts";

let rig: SsoRig;
let idp: RealIdp;
let domain: string;

beforeAll(async () => {
  rig = await startSsoRig();
  domain = `real-${randomBytes(4).toString("hex")}.example`;
  idp = await startRealIdp({ publicUrl, domain });
});
afterAll(async () => {
  await idp.close();
  await rig.stop();
});

/** Follows redirects and posts the two forms, to the address at which the browser leaves the provider. */
async function browse(start: string, login: string): Promise<URL> {
  const cookies = new Map<string, string>();
  let url = start;
  let form: URLSearchParams | undefined;
  for (let hop = 0; hop < 12; hop++) {
    if (url.startsWith(publicUrl)) return new URL(url);
    const response = await fetch(url, {
      method: form === undefined ? "GET" : "POST",
      body: form,
      redirect: "manual",
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; ") },
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      cookies.set(name, value);
    }
    const page = await response.text();
    const location = response.headers.get("location");
    if (location !== null) {
      [url, form] = [new URL(location, url).href, undefined];
      continue;
    }
    url = new URL(/action="([^"]+)"/.exec(page)?.[1] ?? "", url).href;
    const isLogin = page.includes('value="login"');
    form = new URLSearchParams(isLogin ? { prompt: "login", login, password: "any" } : { prompt: "consent" });
  }
  throw new Error("the provider never sent the browser back");
}

it("leads from an address to a session, with the role of a group, at a real provider", async () => {
  const world = await createWorld(rig.plane.database);
  await succeed(rig.claim(world, domain));
  const as = { world, persona: "admin" };
  const provider = { issuer: idp.issuer, client_id: idp.clientId, client_secret: idp.clientSecret };
  const roles = { join: "member", role_claim: "groups", role_mapping: { guards: "editor" } };
  const configured = await succeed(
    rig.call("SsoService/ConfigureSso", { org_id: world.orgId, ...provider, ...roles }, as),
  );
  expect(configured.body).toMatchObject({ redirect_uri: `${publicUrl}/v1/auth/sso/callback` });

  const begun = await fetch(`${rig.plane.baseUrl}/v1/auth/sso/start?email=grace@${domain}&return_to=/console`, {
    redirect: "manual",
  });
  const cookie = begun.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  const back = await browse(begun.headers.get("location") ?? "", "grace");
  expect(back.searchParams.get("iss")).toBe(idp.issuer);

  const headers = { cookie };
  const done = await fetch(rig.plane.baseUrl + back.pathname + back.search, { redirect: "manual", headers });
  expect(done.status).toBe(302);
  const code = new URL(done.headers.get("location") ?? "").hash.replace("#sso_code=", "");
  const exchanged = await fetch(`${rig.plane.baseUrl}/v1/auth/sso/exchange`, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify({ code }),
  });
  expect(exchanged.status).toBe(200);
  const { tokens } = (await exchanged.json()) as { tokens: { access_token: string } };
  const me = await rig.call("AccountService/GetMe", {}, { token: tokens.access_token });
  expect(me.body).toMatchObject({
    account: { email: `grace@${domain}`, name: "Grace Hopper" },
    organizations: [{ org_id: world.orgId, role: "editor" }],
  });
});

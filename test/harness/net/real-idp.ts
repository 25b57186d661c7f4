// A real identity provider (oidc-provider) on the loopback network. Its pages ask for a name, take any password, and
// ask for consent.

import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import Provider from "oidc-provider";

/** Such a provider. */
export interface RealIdp {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  close(): Promise<void>;
}

const hour = 3600;
const clientId = "policy-guard";

/** Starts one that knows everybody at the domain as "Grace Hopper", of the groups "staff" and "guards". */
export async function startRealIdp({
  publicUrl,
  domain,
}: {
  /** Where browsers reach the control plane. */
  readonly publicUrl: string;
  readonly domain: string;
}): Promise<RealIdp> {
  const clientSecret = randomBytes(24).toString("base64url");
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // listens on TCP
  const redirect = `${publicUrl}/v1/auth/sso/callback`;
  const provider = new Provider(issuer, {
    clients: [{ client_id: clientId, client_secret: clientSecret, redirect_uris: [redirect] }],
    cookies: { keys: [randomBytes(16).toString("hex")] },
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name", "groups"] },
    findAccount: (_context, id) => ({
      accountId: id,
      claims: () => ({
        sub: id,
        email: `${id}@${domain}`,
        email_verified: true,
        name: "Grace Hopper",
        groups: ["staff", "guards"],
      }),
    }),
    features: { devInteractions: { enabled: true } },
    pkce: { required: () => true },
    ttl: { AccessToken: hour, AuthorizationCode: 60, Grant: hour, IdToken: hour, Interaction: hour, Session: hour },
  });
  server.on("request", provider.callback());
  return {
    issuer,
    clientId,
    clientSecret,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

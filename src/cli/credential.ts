// Who a token is, as far as the server tells.

import { CredentialKind } from "../../gen/policyguard/options/v1/options_pb.ts";
import { shownPrefix, tokenKind } from "../kit/token.ts";
import { onlyOrganization, type Server } from "./server.ts";

/** What a credential is and may do. */
export interface Identity {
  /** "member", "runtime", "ci", "admin" or "scim". */
  readonly kind: string;
  /** Beginning of the token, enough to recognise it by. */
  readonly prefix: string;
  /** Undefined for a runtime token, which only the server can place. */
  readonly orgId: string | undefined;
  /** Role of a member. */
  readonly role: string | undefined;
  /** Methods that it may call in the organization. */
  readonly methods: readonly string[];
}

const kinds: ReadonlyMap<CredentialKind, string> = new Map([
  [CredentialKind.MEMBER, "member"],
  [CredentialKind.RUNTIME, "runtime"],
  [CredentialKind.CI, "ci"],
  [CredentialKind.ADMIN, "admin"],
  [CredentialKind.SCIM, "scim"],
]);

/** Asks the server. Throws when the token is not alive there, or has nothing to do with the organization. */
export async function identify(server: Server, org: string | undefined): Promise<Identity> {
  const { token, orgId: kept } = server.connection;
  const kind = tokenKind(token) ?? CredentialKind.UNSPECIFIED;
  const prefix = shownPrefix(token);
  if (kind === CredentialKind.RUNTIME) {
    await server.bundles.listSigningKeys({});
    return { kind: "runtime", prefix, orgId: undefined, role: undefined, methods: runtimeMethods };
  }
  const orgId = org ?? kept ?? (await onlyOrganization(server));
  const { credential, role, methods } = await server.team.getPermissions({ orgId });
  return { kind: kinds.get(credential) ?? "unknown", prefix, orgId, role, methods };
}

// A runtime token has no part in the organization's own services; these two are what this command can do with it.
const runtimeMethods = ["BundleService/GetLatestBundle", "BundleService/ListSigningKeys"];

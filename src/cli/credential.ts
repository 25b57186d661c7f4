// The credential that a token is, as the server describes it.

import { CredentialKind } from "../../gen/policyguard/options/v1/options_pb.ts";
import { shownPrefix, tokenKind } from "../kit/crypto/token.ts";
import { onlyOrganization, type Server } from "./server.ts";

/** What a credential is and may do. */
export interface Identity {
  /** "member", "runtime", "ci", "admin" or "scim". */
  readonly kind: string;
  /** The first characters of the token, by which people recognise it. */
  readonly prefix: string;
  /** Undefined for a runtime token, whose organization only the server knows. */
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

/** Asks the server. Throws when the token is not valid there, or belongs to another organization. */
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

// A runtime token may not call the organization's services; these two are the calls that this command can make with it.
const runtimeMethods = ["BundleService/GetLatestBundle", "BundleService/ListSigningKeys"];

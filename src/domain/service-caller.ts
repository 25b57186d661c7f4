import { CredentialKind } from "../../gen/policyguard/options/v1/options_pb.ts";
import type { AuditIntent, Caller } from "../kit/rpc/context.ts";

/** The service itself as the author of a change, as the log of evidence names it. */
export function serviceCaller(orgId: string, audit: AuditIntent): Caller {
  const name = "policy-guard";
  const reach = { orgId, projectId: undefined, environment: undefined, roles: new Map() };
  const credential = { kind: CredentialKind.UNSPECIFIED, id: name, label: name, ...reach };
  return { credential, orgId, role: undefined, audit };
}

// What a caller is allowed to do beyond what methods ask for.

import { CredentialKind, Role } from "../../gen/policyguard/options/v1/options_pb.ts";
import type { Caller } from "../kit/rpc/context.ts";

/** Whether an admin calls: a member of that role at least, or an admin token. */
export function isAdmin({ credential, role }: Caller): boolean {
  return credential.kind === CredentialKind.ADMIN || (role !== undefined && role >= Role.ADMIN);
}

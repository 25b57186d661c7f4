// Failures in SCIM's own terms (RFC 7644, section 3.12).

import { Reason } from "../../../gen/policyguard/common/v1/reason_pb.ts";
import { Fault } from "../../kit/fault/fault.ts";

/** Kinds of error of SCIM that this service tells. */
export type ScimType = "invalidFilter" | "invalidPath" | "invalidSyntax" | "invalidValue" | "mutability" | "noTarget";

/** A request that cannot be carried out as it stands: 400. */
export function scimInvalid(type: ScimType, message: string): Fault {
  return new Fault(Reason.SCIM_INVALID, message, { extra: { scim_type: type } });
}

/** A value that another resource has: 409. */
export function notUnique(message: string): Fault {
  return new Fault(Reason.ALREADY_EXISTS, message, { extra: { scim_type: "uniqueness" } });
}

/** The resource has another version than the caller has seen: 412. */
export function otherVersion(): Fault {
  return new Fault(Reason.PRECONDITION_FAILED, "the resource has another version than If-Match names; read it again");
}

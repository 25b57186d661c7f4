// Faults that several rooms share because a bundle is active.

import { Reason } from "../../../gen/policyguard/common/v1/reason_pb.ts";
import { Fault } from "../../kit/fault/fault.ts";

/** The fault of a version whose content was removed. */
export function purgedBundle(version: number): Fault {
  const message = `the content of version ${version} was deleted after 90 days without being active; publish again`;
  return new Fault(Reason.CONFLICT, message);
}

/** The fault of deleting something that has an active bundle without force. `noun` is its name, such as "project". */
export function activeBundle(noun: string): Fault {
  return new Fault(Reason.ACTIVE_BUNDLE, `the ${noun} has an active bundle; delete it with force=true`);
}

// Refusals that several nouns share because a bundle is in force.

import { Reason } from "../../gen/policyguard/common/v1/reason_pb.ts";
import { Fault } from "../kit/error.ts";

/** The content of the version was removed. */
export function purgedBundle(version: number): Fault {
  const message = `the content of version ${version} is no longer kept: it was not active for 90 days; publish it anew`;
  return new Fault(Reason.CONFLICT, message);
}

/** Deleting what has an active bundle needs force. `noun` as in "project". */
export function activeBundle(noun: string): Fault {
  return new Fault(Reason.ACTIVE_BUNDLE, `the ${noun} has an active bundle; delete it with force=true`);
}

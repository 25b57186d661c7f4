// The failure of a command when a server refuses or does not answer.

import { Code, ConnectError } from "@connectrpc/connect";
import { ErrorDetailSchema, Reason } from "../../gen/policyguard/common/v1/reason_pb.ts";
import { reasonRule } from "../kit/fault/fault.ts";
import { exitCodes, Failure } from "./failure.ts";

const hints: ReadonlyMap<Reason, string> = new Map([
  [Reason.UNAUTHENTICATED, "Run `policy-guard login`, or set POLICY_GUARD_TOKEN to a token that is alive."],
  [Reason.FOREIGN_ORGANIZATION, "Is --org, or POLICY_GUARD_ORG, the organization of the token?"],
  [Reason.INSUFFICIENT_SCOPE, "`policy-guard whoami` tells what the credential may do."],
  [
    Reason.VERSION_CONFLICT,
    "Somebody else changed the policy: look at it with `policy-guard policies get`, then push again.",
  ],
  [Reason.BUNDLE_VERSION_CONFLICT, "Somebody else has published: look at what they did, then publish again."],
  [Reason.POLICY_TESTS_FAILED, "`policy-guard test` runs the tests of local files."],
]);

const unreachable: readonly Code[] = [Code.Unavailable, Code.DeadlineExceeded, Code.Canceled];

/** Whether the server did not answer. */
export function isUnreachable({ code }: ConnectError): boolean {
  return unreachable.includes(code);
}

/** The failure for an error of the client: the server refused, or did not answer. */
export function serverFailure(error: Error): Failure {
  const problem = ConnectError.from(error);
  const [detail] = problem.findDetails(ErrorDetailSchema);
  const message = problem.rawMessage;
  if (detail === undefined) {
    if (isUnreachable(problem)) {
      const hint = "Is the server running, and the address right? `policy-guard login` or POLICY_GUARD_URL sets it.";
      return new Failure(exitCodes.server, "unreachable", `no answer from the server: ${message}`, {
        hint,
        cause: error,
      });
    }
    const hint = "Is the address that of a Policy Guard control plane, in a version that this command knows?";
    // Some answers have no text at all.
    const why = `the answer is not that of a control plane: ${message || Code[problem.code]}`;
    return new Failure(exitCodes.server, "not_understood", why, { hint, cause: error });
  }
  const { httpStatus } = reasonRule(detail.reason);
  // 429 is about load, not about the request.
  const isRefusal = httpStatus < 500 && httpStatus !== 429;
  return new Failure(isRefusal ? exitCodes.refused : exitCodes.server, detail.error || "refused", message, {
    hint: hints.get(detail.reason),
    detail: detail.extra,
    cause: error,
  });
}

// Of several samples, each may be refused for itself, so the call as a whole succeeds. Of one, that is a failure.

import { create } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { ErrorDetailSchema, Reason } from "../../../gen/policyguard/common/v1/reason_pb.ts";

/** The failure of a sample that was refused. */
export class SampleRefused extends ConnectError {
  constructor(field: string | undefined, message: string) {
    const fields = field === undefined ? [] : [{ field: `sample.${field}`, message }];
    const value = create(ErrorDetailSchema, { reason: Reason.VALIDATION_FAILED, extra: { fields } });
    super(message, Code.InvalidArgument, undefined, [{ desc: ErrorDetailSchema, value }]);
  }
}

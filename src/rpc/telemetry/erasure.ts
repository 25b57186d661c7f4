import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import { type ErasureSchema, ErasureSubjectKind } from "../../../gen/policyguard/control/v1/erasure_pb.ts";
import type { ErasureService } from "../../../gen/policyguard/control/v1/erasure_service_pb.ts";
import type { Erasure, Erasures } from "../../domain/telemetry/erasure.ts";
import { callerOf } from "../../kit/rpc/context.ts";
import { pageOf } from "../../kit/rpc/page.ts";
import { runFields } from "../run.ts";

/** Handlers of ErasureService. */
export function erasureHandlers(erasures: Erasures): ServiceImpl<typeof ErasureService> {
  return {
    createErasure: async ({ subject, reason }, context) => {
      const input = subject ?? { traceIds: [] };
      return { erasure: erasureMessage(await erasures.create(callerOf(context), input, reason ?? "")) };
    },
    listErasures: async (request, context) => {
      const page = pageOf(request);
      const [found, total] = await erasures.list(callerOf(context), page);
      return { total, ...page, erasures: found.map(erasureMessage) };
    },
    getErasure: async ({ erasureId }, context) => ({
      erasure: erasureMessage(await erasures.get(callerOf(context), erasureId)),
    }),
  };
}

const kinds = {
  user: ErasureSubjectKind.USER,
  session: ErasureSubjectKind.SESSION,
  traces: ErasureSubjectKind.TRACES,
  member: ErasureSubjectKind.MEMBER,
  fingerprint: ErasureSubjectKind.FINGERPRINT,
} as const;

function erasureMessage({ run, spec, erased }: Erasure): MessageInitShape<typeof ErasureSchema> {
  return {
    ...runFields(run),
    subjectKind: kinds[spec.kind],
    subjectDigests: [...spec.digests],
    reason: spec.reason,
    erased,
    digestKey: spec.keyId,
  };
}

import type { MessageInitShape } from "@bufbuild/protobuf";
import { callUnaryMethod } from "@connectrpc/connect-query";
import { useState } from "react";
import {
  type ExplainPoliciesRequestSchema,
  PolicyService,
} from "../../../../gen/policyguard/control/v1/policy_service_pb.ts";
import { useOrganization } from "../../../data/organization.ts";
import { transport } from "../../../data/transport.ts";
import { useBusy } from "../../../part/busy.ts";
import { type Asked, isBlank, prepare } from "./request.ts";
import type { Judged } from "./verdict.tsx";

/** By what a request is judged. */
export type Judge = Pick<
  MessageInitShape<typeof ExplainPoliciesRequestSchema> & object,
  "document" | "policyId" | "version" | "projectId" | "environment" | "bundleVersion"
>;

/** The last answer, with what was asked. */
interface Kept extends Judged {
  readonly asked: Asked;
  readonly by: Judge;
  readonly remaining: number | undefined;
}

/** Judges requests one at a time, and keeps the last answer with what was asked. */
export function useJudge(by: Judge) {
  const { orgId } = useOrganization();
  const [judged, setJudged] = useState<Kept>();
  const [fault, setFault] = useState<string>();
  const { run, isBusy, error } = useBusy();
  const judge = (asked: Asked) => {
    if (isBlank(asked) || isBusy) return;
    const prepared = prepare(asked);
    setFault("fault" in prepared ? prepared.fault : undefined);
    if ("fault" in prepared) return;
    const { stage, request, segments } = prepared;
    run(async () => {
      const call = { orgId, stage, request, ...by };
      const { explanation, remaining } = await callUnaryMethod(transport, PolicyService.method.explainPolicies, call);
      if (explanation !== undefined) setJudged({ asked, by, segments, explanation, remaining });
    });
  };
  /** Whether another request, or another judge, gave the last answer. */
  const isStale = (asked: Asked) =>
    judged !== undefined && JSON.stringify([judged.asked, judged.by]) !== JSON.stringify([asked, by]);
  return { judge, judged, isStale, fault, isBusy, error };
}

// The rules for which streams release nothing before the verdict, as validate and explain print them.

import type { JsonObject } from "@bufbuild/protobuf";
import type { VerdictRule } from "../../gen/policyguard/policy/v1/stream_pb.ts";
import { nameOf, stages } from "../../runtime/engine/policy/enum-names.ts";
import { verdictReasons, verdictRulesOf } from "../../runtime/engine/stream/notice.ts";
import { shippedModels } from "../kit/process/model-file.ts";
import { shown } from "./output.ts";
import { ownPackSource } from "./pack-library.ts";
import type { PolicyFile } from "./policy-file.ts";

/** The rules of a file; none when it is not a policy, or has errors. */
export function untilVerdictOf({ policy }: PolicyFile): VerdictRule[] {
  return policy === undefined ? [] : verdictRulesOf(policy, { packs: ownPackSource, models: shippedModels() });
}

/** One rule on one line. */
export function verdictLine(file: string, { ruleId, stages: at, message }: VerdictRule): string {
  return shown(
    `${file}: note: streams of ${stageNames(at).join(", ")} are buffered until the end: ${ruleId}: ${message}`,
  );
}

/** One rule for programs, in the form of the server's answer. */
export function verdictRuleJson({ policy, ruleId, stages: at, reason, detector, message }: VerdictRule): JsonObject {
  const [places, why] = [stageNames(at), nameOf(verdictReasons, reason)];
  return { policy, rule_id: ruleId, stages: places, reason: why, detector: detector ?? null, message };
}

function stageNames(list: VerdictRule["stages"]): string[] {
  return list.map((stage) => nameOf(stages, stage));
}

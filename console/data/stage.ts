import { Stage } from "../../gen/policyguard/policy/v1/outcome_pb.ts";

const names: Readonly<Record<Stage, string>> = {
  [Stage.UNSPECIFIED]: "",
  [Stage.INPUT]: "input",
  [Stage.OUTPUT]: "output",
  [Stage.TOOL_CALL]: "tool_call",
  [Stage.TOOL_RESULT]: "tool_result",
  [Stage.RETRIEVAL]: "retrieval",
};

/** The stages, in the order of a turn. */
export const stages = [Stage.INPUT, Stage.RETRIEVAL, Stage.TOOL_CALL, Stage.TOOL_RESULT, Stage.OUTPUT] as const;

/** A stage by its wire name. */
export function stageName(stage: Stage): string {
  return names[stage] ?? "";
}

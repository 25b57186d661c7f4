// What a false positive becomes in the policy that decided: a test that the text passes, or an exemption.

import type { Trace } from "../../../gen/policyguard/control/v1/trace_pb.ts";
import { CaptureMode } from "../../../gen/policyguard/policy/v1/record_pb.ts";
import type { Entry } from "../../data/policy-addition.ts";
import { stageName } from "../../data/stage.ts";
import { en } from "../../text/en.ts";

const texts = en.review;
const exemptionDays = 30;
const dayMs = 86_400_000;
const shownOfId = 8;

/** A test that the trace's text is allowed; undefined when there is no whole text. */
export function testOf(trace: Trace): Entry | undefined {
  const { id, stage, segments, findings } = trace;
  if (trace.capture !== CaptureMode.FULL) return undefined;
  const found = findings.find(({ ruleId }) => ruleId === trace.decidedByRule)?.segment;
  const segment = segments.find((each) => each.id === found) ?? segments.at(-1);
  if (segment === undefined || segment.text === "") return undefined;
  return {
    name: texts.testName(id.slice(0, shownOfId)),
    stage: stageName(stage),
    text: segment.text,
    expect: { outcome: "ALLOW" },
  };
}

/** An exemption of the rule for the trace's agent, or for the person; undefined when it names neither. */
export function exemptionOf(trace: Trace, now: Date): Entry | undefined {
  const { id, agentId, userId, decidedByRule } = trace;
  const when =
    agentId !== undefined
      ? `request.agent_id == ${JSON.stringify(agentId)}`
      : userId !== undefined
        ? `subject.user_id == ${JSON.stringify(userId)}`
        : undefined;
  if (when === undefined || decidedByRule === undefined) return undefined;
  const expires = new Date(now.getTime() + exemptionDays * dayMs).toISOString().replace(/\.\d+Z$/, "Z");
  return {
    id: `trace-${id.slice(0, shownOfId)}`,
    when,
    rules: [decidedByRule],
    expires,
    reason: texts.reason(id.slice(0, shownOfId)),
  };
}

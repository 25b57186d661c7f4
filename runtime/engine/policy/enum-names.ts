// Maps the names in a policy document to the enums of the protocol.

import { FailMode, Mode, Outcome, Severity, Stage, Trust } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import type { FailModeName, ModeName, OutcomeName, SeverityName, StageName } from "./document.ts";

/** Outcomes by name. */
export const outcomes: Readonly<Record<OutcomeName, Outcome>> = {
  ALLOW: Outcome.ALLOW,
  FLAG: Outcome.FLAG,
  REDACT: Outcome.REDACT,
  BLOCK: Outcome.BLOCK,
};

/** Stages by name. */
export const stages: Readonly<Record<StageName, Stage>> = {
  input: Stage.INPUT,
  output: Stage.OUTPUT,
  tool_call: Stage.TOOL_CALL,
  tool_result: Stage.TOOL_RESULT,
  retrieval: Stage.RETRIEVAL,
};

/** Severities by name. */
export const severities: Readonly<Record<SeverityName, Severity>> = {
  info: Severity.INFO,
  low: Severity.LOW,
  medium: Severity.MEDIUM,
  high: Severity.HIGH,
  critical: Severity.CRITICAL,
};

/** Modes by name. */
export const modes: Readonly<Record<ModeName, Mode>> = { enforce: Mode.ENFORCE, shadow: Mode.SHADOW, off: Mode.OFF };

/** Fail modes by name. */
export const failModes: Readonly<Record<FailModeName, FailMode>> = {
  fail_open: FailMode.FAIL_OPEN,
  fail_closed: FailMode.FAIL_CLOSED,
};

/** The name of an enum value, or "". */
export function nameOf(names: Readonly<Record<string, number>>, value: number): string {
  return Object.keys(names).find((name) => names[name] === value) ?? "";
}

/** "trusted" or "untrusted". */
export function trustName(trust: Trust): string {
  return trust === Trust.TRUSTED ? "trusted" : "untrusted";
}

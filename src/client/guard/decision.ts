// What a runtime answered, in plain JavaScript: names as the REST API spells them, no numbers of enumerations.

import type { DescEnumValue } from "@bufbuild/protobuf";
import type {
  EvaluateResponse,
  Finding as FindingMessage,
  Unjudged as UnjudgedMessage,
} from "../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { FailModeSchema, ModeSchema, Outcome, SeveritySchema } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import type { UnavailableError } from "./error.ts";

/** Outcome of an evaluation, from the mildest to the strictest. */
export type OutcomeName = "ALLOW" | "FLAG" | "REDACT" | "BLOCK";

/** What one rule made of one thing that was found. The matched text is not in it. */
export interface GuardFinding {
  readonly ruleId: string;
  readonly policy: string;
  readonly detector: string;
  /** Such as "pii.email". */
  readonly category: string;
  readonly severity: "info" | "low" | "medium" | "high" | "critical";
  readonly action: OutcomeName;
  /** "shadow" for a rule that is only watched. */
  readonly mode: "enforce" | "shadow" | "off";
  /** The text that it is in. */
  readonly segment: string;
  /** First UTF-16 unit of the match, and the one after its last. */
  readonly start: number;
  readonly end: number;
  /** Certainty, 0 to 1. */
  readonly score: number;
  /** The exemption that took its effect away. */
  readonly exemptedBy?: string;
}

/** A rule that could not be judged, and what its policy made of that. */
export interface GuardUnjudged {
  readonly detector: string;
  /** Such as "timeout". */
  readonly reason: string;
  readonly onError: "fail_open" | "fail_closed";
}

/** A decision about a text. */
export interface Decision {
  readonly outcome: OutcomeName;
  /** Id of the evaluation and of its trace. Absent when none was made. */
  readonly evaluationId?: string;
  /** What the outcome would be if shadow rules took effect. */
  readonly wouldBeOutcome: OutcomeName;
  /** What to tell the person, when the rule that decided has a message. */
  readonly message?: string;
  readonly findings: readonly GuardFinding[];
  readonly unjudged: readonly GuardUnjudged[];
  /** Version of the bundle that decided. */
  readonly bundleVersion?: number;
  /** Why no decision could be made, when `onUnavailable: "allow"` let the text pass. */
  readonly unavailable?: UnavailableError;
  /** The whole answer of the runtime. */
  readonly response?: EvaluateResponse;
}

const outcomeNames: ReadonlyMap<Outcome, OutcomeName> = new Map([
  [Outcome.ALLOW, "ALLOW"],
  [Outcome.FLAG, "FLAG"],
  [Outcome.REDACT, "REDACT"],
  [Outcome.BLOCK, "BLOCK"],
]);

/** The name of an outcome. One that this version does not know is BLOCK: nothing goes on by it. */
export function outcomeName(outcome: Outcome): OutcomeName {
  return outcomeNames.get(outcome) ?? "BLOCK";
}

// Names of the generated enumerations are closed sets, which TypeScript cannot see.
function lowerName<Name extends string>(value: DescEnumValue | undefined): Name {
  return (value?.localName ?? "").toLowerCase() as Name;
}

/** The decision that a runtime answered. */
export function decisionOf(response: EvaluateResponse): Decision {
  return {
    outcome: outcomeName(response.outcome),
    evaluationId: response.evaluationId,
    wouldBeOutcome: outcomeName(response.wouldBeOutcome),
    message: response.message,
    findings: response.findings.map(findingOf),
    unjudged: response.unjudged.map(unjudgedOf),
    bundleVersion: response.bundle?.version,
    response,
  };
}

/** The decision where nothing was judged: there was no text, or nobody could say. */
export function passed(unavailable?: UnavailableError): Decision {
  return { outcome: "ALLOW", wouldBeOutcome: "ALLOW", findings: [], unjudged: [], unavailable };
}

function findingOf(finding: FindingMessage): GuardFinding {
  const { ruleId, policy, detector, category, segment, start, end, score, exemptedBy } = finding;
  return {
    ruleId,
    policy,
    detector,
    category,
    severity: lowerName(SeveritySchema.value[finding.severity]),
    action: outcomeName(finding.action),
    mode: lowerName(ModeSchema.value[finding.mode]),
    segment,
    start,
    end,
    score,
    exemptedBy,
  };
}

function unjudgedOf({ detector, reason, onError }: UnjudgedMessage): GuardUnjudged {
  return { detector, reason, onError: lowerName(FailModeSchema.value[onError]) };
}

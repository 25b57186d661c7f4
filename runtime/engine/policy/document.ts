// The policy document as it is stored: plain JSON, keys as authors write them. `schema.ts` says the same to machines.

import type { JsonObject } from "@bufbuild/protobuf";

/** The stages, in the order of a turn. */
export const stageNames = ["input", "output", "tool_call", "tool_result", "retrieval"] as const;
/** The moment of a turn at which something is evaluated. */
export type StageName = (typeof stageNames)[number];

/** The outcomes, from the mildest to the strictest. */
export const outcomeNames = ["ALLOW", "FLAG", "REDACT", "BLOCK"] as const;
/** An outcome as it is written. */
export type OutcomeName = (typeof outcomeNames)[number];

/** The severities, from the mildest to the gravest. */
export const severityNames = ["info", "low", "medium", "high", "critical"] as const;
/** A severity as it is written. */
export type SeverityName = (typeof severityNames)[number];

/** Whether a rule takes effect. */
export type ModeName = "enforce" | "shadow" | "off";
/** What happens when something cannot be judged. */
export type FailModeName = "fail_open" | "fail_closed";

/** A guard policy. */
export interface PolicyDocument {
  readonly apiVersion: "policyguard/v1";
  readonly kind: "Policy";
  readonly metadata: { readonly name: string; readonly description?: string; readonly controls?: readonly string[] };
  readonly match?: { readonly agents?: readonly string[]; readonly envs?: readonly string[] };
  readonly defaults?: PolicyDefaults;
  readonly lists?: Readonly<Record<string, readonly string[]>>;
  readonly detectors?: Readonly<Record<string, DetectorUse>>;
  readonly rules: readonly PolicyRule[];
  readonly exemptions?: readonly PolicyExemption[];
  readonly tests?: readonly PolicyTest[];
}

/** What holds for rules that say nothing else. */
export interface PolicyDefaults {
  readonly mode?: ModeName;
  readonly on_error?: FailModeName;
  readonly timeout_ms?: number;
  readonly record?: "none" | "redacted" | "full";
}

/** A detector with a name of the policy's own. All other keys are parameters of the detector. */
export interface DetectorUse {
  readonly use: string;
  readonly threshold?: number;
  readonly on_error?: FailModeName;
  readonly [parameter: string]: JsonObject[string] | undefined;
}

/** A detector by name, narrowed. */
export interface DetectorReference {
  readonly ref: string;
  readonly entities?: readonly string[];
  readonly categories?: readonly string[];
  readonly threshold?: number;
}

/** One detector of a rule: its name, or a narrowed reference. */
export type DetectTerm = string | DetectorReference;

/** What has to be found for a rule to match. */
export type Detect =
  | DetectTerm
  | { readonly any: readonly DetectTerm[] }
  | { readonly all: readonly DetectTerm[] }
  | { readonly quorum: { readonly of: readonly DetectTerm[]; readonly at_least: number } };

/** How found text is replaced. */
export type RedactStyle = "placeholder" | "mask" | "hash" | "remove" | "partial";

/** What a request's subject or session is counted by, in a roll-out. */
export type RolloutKey = "session_id" | "user_id" | "agent_id" | "evaluation_id";

/** One rule. */
export interface PolicyRule {
  readonly id: string;
  readonly description?: string;
  readonly stages: readonly StageName[];
  readonly detect?: Detect;
  readonly when?: string;
  readonly unless?: string;
  readonly action: OutcomeName;
  readonly severity?: SeverityName;
  readonly category?: string;
  readonly message?: string | Readonly<Record<string, string>>;
  readonly mode?: ModeName;
  readonly rollout?: { readonly percent: number; readonly by?: RolloutKey };
  readonly redact?: { readonly style?: RedactStyle };
  readonly on_error?: FailModeName;
}

/** A case in which rules take no effect. Their findings stay visible. */
export interface PolicyExemption {
  readonly id: string;
  readonly when: string;
  readonly rules: readonly string[];
  readonly expires?: string;
  readonly reason: string;
}

/** One test of the policy by its author. */
export interface PolicyTest {
  readonly name: string;
  readonly stage?: StageName;
  readonly text?: string;
  readonly messages?: readonly { readonly role: string; readonly content: string }[];
  readonly segments?: readonly TestSegment[];
  readonly tool_calls?: readonly { readonly id: string; readonly name: string; readonly arguments?: JsonObject }[];
  readonly agent?: string;
  readonly env?: string;
  readonly subject?: {
    readonly user_id?: string;
    readonly roles?: readonly string[];
    readonly attributes?: JsonObject;
  };
  readonly expect: TestExpectation;
}

/** A segment as a test gives it. */
export interface TestSegment {
  readonly id?: string;
  readonly role?: string;
  readonly origin?: string;
  readonly trust?: "trusted" | "untrusted";
  readonly text: string;
}

/** What a test demands of the answer. */
export interface TestExpectation {
  readonly outcome: OutcomeName;
  readonly would_be_outcome?: OutcomeName;
  /** Rules that must be among the findings. */
  readonly rules?: readonly string[];
  /** Rules that must not be among the findings. */
  readonly not_rules?: readonly string[];
  /** The rewritten text. */
  readonly redacted?: string;
}

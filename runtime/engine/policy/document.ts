// The policy document as it is stored: plain JSON with the keys that authors write. `schema.ts` is the machine-readable
// form.

import type { JsonObject } from "@bufbuild/protobuf";

/** The stages, in the order of a turn. */
export const stageNames = ["input", "output", "tool_call", "tool_result", "retrieval"] as const;
/** The stage of a turn at which something is evaluated. */
export type StageName = (typeof stageNames)[number];

/** The outcomes, from the mildest to the strictest. */
export const outcomeNames = ["ALLOW", "FLAG", "REDACT", "BLOCK"] as const;
/** The name of an outcome. */
export type OutcomeName = (typeof outcomeNames)[number];

/** The severities, from the lowest to the highest. */
export const severityNames = ["info", "low", "medium", "high", "critical"] as const;
/** The name of a severity. */
export type SeverityName = (typeof severityNames)[number];

/** Whether a rule takes effect. */
export type ModeName = "enforce" | "shadow" | "off";
/** How something that cannot be judged counts. */
export type FailModeName = "fail_open" | "fail_closed";

/** A guard policy. */
export interface PolicyDocument {
  readonly apiVersion: "policyguard/v1";
  readonly kind: "Policy";
  readonly metadata: { readonly name: string; readonly description?: string; readonly controls?: readonly string[] };
  readonly extends?: readonly PackUse[];
  readonly match?: { readonly agents?: readonly string[]; readonly envs?: readonly string[] };
  readonly defaults?: PolicyDefaults;
  readonly lists?: Readonly<Record<string, ListDeclaration>>;
  readonly detectors?: Readonly<Record<string, DetectorUse>>;
  readonly rules: readonly PolicyRule[];
  readonly exemptions?: readonly PolicyExemption[];
  readonly tests?: readonly PolicyTest[];
}

/** A guard pack whose rules the policy includes: its reference, or a reference with settings. */
export type PackUse = string | PackUseWithSettings;

/** A guard pack with the policy's settings for it. */
export interface PackUseWithSettings {
  /** Such as "pack:pii-eu@2". */
  readonly pack: string;
  readonly parameters?: JsonObject;
  /** Applies to all its rules, but does not weaken locked ones. */
  readonly mode?: ModeName;
  readonly shadow?: ShadowEnd;
  /** Applies to its rules without a roll-out, except locked ones. */
  readonly rollout?: Rollout;
}

/** A list written out in the policy, or one that is kept beside the policies under the same name. */
export type ListDeclaration = readonly string[] | NamedListDeclaration;

/** A list that is kept beside the policies, so that it can change without a new policy version. */
export interface NamedListDeclaration {
  readonly named: true;
  /** Its items when nobody keeps the list. */
  readonly default?: readonly string[];
}

/** When a shadow rule ends, and its mode afterwards. */
export interface ShadowEnd {
  /** RFC 3339. */
  readonly until: string;
  /** Default: "enforce". */
  readonly becomes?: "enforce" | "off";
}

/** The share of requests for which a rule takes effect. */
export interface Rollout {
  readonly percent: number;
  readonly by?: RolloutKey;
}

/** Settings for rules that do not set them themselves. */
export interface PolicyDefaults {
  readonly mode?: ModeName;
  readonly shadow?: ShadowEnd;
  readonly on_error?: FailModeName;
  readonly timeout_ms?: number;
  readonly record?: "none" | "redacted" | "full";
  /** What becomes of a text in a language that a detector does not know. Default: ignore. */
  readonly unsupported_language?: "ignore" | "unjudged";
}

/** A detector that the policy names. All other keys are parameters of the detector. */
export interface DetectorUse {
  readonly use: string;
  readonly threshold?: number;
  readonly on_error?: FailModeName;
  /** Its own time budget in milliseconds since the evaluation began: what it has not found by then is unjudged. */
  readonly timeout_ms?: number;
  /** A detector backend that is asked as well. */
  readonly backend?: string | NamedBackend;
  readonly [parameter: string]: JsonObject[string] | undefined;
}

/** A detector backend with the meaning of its labels. */
export type NamedBackend = {
  readonly key: string;
  /** Categories by label; other labels are not findings. */
  readonly categories?: { readonly [label: string]: string };
  /** When it is asked. Default: always. */
  readonly ask?: {
    /** The score of the detector itself must be in this range, both ends included. */
    readonly between?: [number, number];
    readonly stages?: StageName[];
    /** Globs over the origins of texts. */
    readonly origins?: string[];
  };
};

/** A detector by name, limited to some of its findings. */
export interface DetectorReference {
  readonly ref: string;
  readonly entities?: readonly string[];
  readonly categories?: readonly string[];
  readonly threshold?: number;
}

/** One detector of a rule: its name, or a narrowed reference. */
export type DetectTerm = string | DetectorReference;

/** What must be found for a rule to match. */
export type Detect =
  | DetectTerm
  | { readonly any: readonly DetectTerm[] }
  | { readonly all: readonly DetectTerm[] }
  | { readonly quorum: { readonly of: readonly DetectTerm[]; readonly at_least: number } };

/** How matched text is replaced. */
export type RedactStyle = "placeholder" | "mask" | "hash" | "remove" | "partial";

/** The key by which a roll-out selects requests. */
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
  /** Controls of a framework that the rule serves, in addition to those of the policy. */
  readonly controls?: readonly string[];
  readonly mode?: ModeName;
  readonly shadow?: ShadowEnd;
  readonly rollout?: Rollout;
  readonly redact?: { readonly style?: RedactStyle; readonly reversible?: boolean; readonly ttl?: string };
  readonly on_error?: FailModeName;
  /** In a guard pack: no policy that extends it can weaken the rule. */
  readonly locked?: boolean;
}

/** An exemption: rules take no effect while its condition holds. Their findings stay visible. */
export interface PolicyExemption {
  readonly id: string;
  readonly when: string;
  readonly rules: readonly string[];
  readonly expires?: string;
  readonly reason: string;
}

/** The request of a test. */
export interface TestRequest {
  readonly text?: string;
  readonly messages?: readonly { readonly role: string; readonly content: string }[];
  readonly segments?: readonly TestSegment[];
  readonly tool_calls?: readonly { readonly id: string; readonly name: string; readonly arguments?: JsonObject }[];
}

/** One test of the policy by its author. */
export interface PolicyTest extends TestRequest {
  readonly name: string;
  readonly stage?: StageName;
  /** The text of an answer as it arrives, chunk by chunk. */
  readonly stream?: readonly string[];
  /** The messages are a whole conversation: each is judged at its own stage, and the user's messages also together. */
  readonly transcript?: boolean;
  /** Requests of one session, one after the other. `expect` applies to the last one. */
  readonly turns?: readonly (string | TestTurn)[];
  /** The same text in several languages, by their tags. `expect` holds for each. */
  readonly languages?: Readonly<Record<string, string>>;
  readonly agent?: string;
  readonly env?: string;
  /** The language that the request states. */
  readonly language?: string;
  readonly subject?: {
    readonly user_id?: string;
    readonly roles?: readonly string[];
    readonly attributes?: JsonObject;
  };
  /** The time at which the test runs, for rules that end: RFC 3339. Default: now. */
  readonly at?: string;
  /** The items of named lists. */
  readonly lists?: Readonly<Record<string, readonly string[]>>;
  readonly expect: TestExpectation;
}

/** One request of a session. */
export interface TestTurn extends TestRequest {
  readonly stage?: StageName;
  readonly expect?: TestExpectation;
}

/** A segment as a test gives it. */
export interface TestSegment {
  readonly id?: string;
  readonly role?: string;
  readonly origin?: string;
  readonly trust?: "trusted" | "untrusted";
  readonly text: string;
}

/** What a test expects of the answer. */
export interface TestExpectation {
  readonly outcome: OutcomeName;
  readonly would_be_outcome?: OutcomeName;
  /** Rules that must be among the findings. */
  readonly rules?: readonly string[];
  /** Rules that must not be among the findings. */
  readonly not_rules?: readonly string[];
  /** The rewritten text. */
  readonly redacted?: string;
  /** The message for the person. */
  readonly message?: string;
  /** Detectors and rules that could not be judged. */
  readonly unjudged?: readonly string[];
  /** The outcome of each proposed call, by its id. */
  readonly tool_calls?: Readonly<Record<string, OutcomeName>>;
  /** All text that a stream releases. */
  readonly released?: string;
  /** Text that neither the stream nor the rewritten text may contain; "" forbids any text at all. */
  readonly released_must_not_contain?: string;
}

// The facts of one request for its conditions, built when the first condition asks for them.

import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { EvaluateRequest } from "../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import type { Stage } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import type { Detection } from "../detectors/detector.ts";
import type { Condition } from "../policy/condition.ts";
import { ConditionFailed } from "../policy/condition-guard.ts";
import { listCaps } from "../policy/condition-size.ts";
import { nameOf, stages, trustName } from "../policy/enum-names.ts";
import {
  type Facts,
  FindingFacts,
  RequestFacts,
  SegmentFacts,
  SessionFacts,
  SubjectFacts,
  ToolFacts,
} from "../policy/facts.ts";
import type { TextSegment } from "../segment/segment.ts";
import { type SessionView, unknownSession } from "../segment/session.ts";
import type { Gap } from "./match.ts";
import type { Joinable, Truth } from "./truth.ts";

/** A detection with the name of its detector. */
export interface NamedDetection {
  readonly detector: string;
  readonly detection: Detection;
}

/** A named detection with the index of its segment in the request. */
export interface LocatedDetection extends NamedDetection {
  readonly segment: number;
}

/** A segment, with the length of its text where the text itself is not known. */
type FactSegment = TextSegment & { readonly length?: number };

/** What a condition is asked about. */
export interface Question<D extends Joinable<D>> {
  readonly lists: Facts["lists"];
  /** Everything that the policy's detectors found in the request, and why there may be more. */
  readonly findings: () => { readonly all: readonly LocatedDetection[]; readonly more: D | undefined };
  /** The finding that the condition is asked about; a doubt for one that may be there. */
  readonly finding: NamedDetection | D | undefined;
  /** True when the time of the evaluation is over. */
  readonly isOver: () => boolean;
}

/** Answers conditions: their value, or why they have none. */
export interface ConditionFacts<D extends Joinable<D> = never> {
  readonly ask: (condition: Condition, segment: number, question: Question<D>) => Truth<D> | Gap["reason"];
}

/** The facts of one request. */
export class FactSheet implements ConditionFacts {
  readonly #requestSegments: readonly FactSegment[];
  readonly #request: RequestFacts;
  readonly #subject: SubjectFacts;
  readonly #session: SessionFacts;
  readonly #isSessionKnown: boolean;
  readonly #segments = new Map<number, SegmentFacts>();
  readonly #tools = new Map<TextSegment["call"], ToolFacts>();
  readonly #exceeds = new Map<JsonObject, boolean>();
  readonly #findings = new Map<Detection, Map<string, FindingFacts>>();
  readonly #findingLists = new WeakMap<readonly unknown[], readonly FindingFacts[]>();

  constructor(
    request: EvaluateRequest,
    segments: readonly FactSegment[],
    about: { readonly stage: Stage; readonly env: string; readonly session?: SessionView | undefined },
  ) {
    const { known, ledger } = about.session ?? unknownSession;
    this.#isSessionKnown = known;
    this.#session = new SessionFacts(ledger);
    this.#requestSegments = segments;
    this.#request = new RequestFacts({
      stage: nameOf(stages, about.stage),
      agent_id: request.agentId ?? "",
      env: about.env,
      session_id: request.sessionId ?? "",
      language: languageOf(request) ?? "",
      metadata: request.metadata ?? {},
    });
    const { userId = "", roles = [], attributes = {} } = request.subject ?? {};
    this.#subject = new SubjectFacts(userId, roles, attributes);
  }

  ask(condition: Condition, segment: number, question: Question<never>): boolean | Gap["reason"] {
    const { reads } = condition;
    if (reads.has("session") && !this.#isSessionKnown) return "session_unknown";
    const findings = reads.has("findings") ? question.findings().all : [];
    if (findings.length > listCaps.findings || this.exceedsCaps(reads, segment)) return "condition_limit";
    try {
      const { lists, finding, isOver } = question;
      return condition.holds(this.#of(segment, { lists, findings, finding }), isOver);
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
      return error.reason;
    }
  }

  #of(
    segment: number,
    more: {
      readonly lists: Facts["lists"];
      readonly findings: readonly LocatedDetection[];
      readonly finding: NamedDetection | undefined;
    },
  ): Facts {
    const { lists, findings, finding } = more;
    const tool = this.#toolOf(segment);
    return {
      request: this.#request,
      subject: this.#subject,
      session: this.#session,
      segment: this.#segmentOf(segment),
      lists,
      findings: this.#findingsOf(findings),
      ...(finding === undefined ? {} : { finding: this.#findingOf(finding, segment) }),
      ...(tool === undefined ? {} : { tool }),
    };
  }

  /** True when JSON that the condition reads contains a list longer than its cost estimate assumed. */
  exceedsCaps(reads: ReadonlySet<string>, segment: number): boolean {
    const read = [
      reads.has("request") ? this.#request.metadata : {},
      reads.has("subject") ? this.#subject.attributes : {},
      reads.has("tool") ? (this.#toolOf(segment)?.args ?? {}) : {},
    ];
    return read.some((json) => this.#isTooLong(json));
  }

  #isTooLong(json: JsonObject): boolean {
    let known = this.#exceeds.get(json);
    if (known === undefined) {
      known = maxListLength(json) > listCaps.dynamic;
      this.#exceeds.set(json, known);
    }
    return known;
  }

  #segmentOf(segment: number): SegmentFacts {
    let facts = this.#segments.get(segment);
    if (facts === undefined) {
      const { id = "", role = "", origin = "", text = "", trust = 0, length } = this.#requestSegments[segment] ?? {};
      facts = new SegmentFacts({
        id,
        role,
        origin,
        text,
        trust: trustName(trust),
        ...(length !== undefined && { length }),
      });
      this.#segments.set(segment, facts);
    }
    return facts;
  }

  #toolOf(segment: number): ToolFacts | undefined {
    const call = this.#requestSegments[segment]?.call;
    if (call === undefined) return undefined;
    const facts = this.#tools.get(call) ?? new ToolFacts(call.name, call.arguments ?? {});
    this.#tools.set(call, facts);
    return facts;
  }

  #findingsOf(findings: readonly LocatedDetection[]): readonly FindingFacts[] {
    let facts = this.#findingLists.get(findings);
    if (facts === undefined) {
      facts = findings.map((each) => this.#findingOf(each, each.segment));
      this.#findingLists.set(findings, facts);
    }
    return facts;
  }

  #findingOf({ detection, detector }: NamedDetection, segment: number): FindingFacts {
    const byDetector = this.#findings.get(detection) ?? new Map<string, FindingFacts>();
    const facts =
      byDetector.get(detector) ?? new FindingFacts(detection, detector, this.#requestSegments[segment]?.id ?? "");
    this.#findings.set(detection, byDetector.set(detector, facts));
    return facts;
  }
}

/** True when the subject's attributes, or arguments of a call, have a list longer than conditions may read. */
export function isOversized({ subject, toolCalls }: EvaluateRequest): boolean {
  const read = [subject?.attributes, ...toolCalls.map((call) => call.arguments)];
  return read.some((json) => json !== undefined && maxListLength(json) > listCaps.dynamic);
}

/** The language that a request states; undefined when it states none. */
export function languageOf({ language }: EvaluateRequest): string | undefined {
  return language === undefined || language === "auto" ? undefined : language;
}

function maxListLength(root: JsonValue): number {
  let longest = 0;
  const open: JsonValue[] = [root];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value !== "object" || value === null) continue;
    const children = Object.values(value);
    longest = Math.max(longest, children.length);
    for (const child of children) open.push(child);
  }
  return longest;
}

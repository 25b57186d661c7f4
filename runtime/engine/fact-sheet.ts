// The facts of one request for its conditions, made when the first condition asks for them.

import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { EvaluateRequest } from "../../gen/policyguard/policy/v1/evaluation_pb.ts";
import type { Stage } from "../../gen/policyguard/policy/v1/outcome_pb.ts";
import type { Detection } from "./detector.ts";
import type { Piece } from "./piece.ts";
import { listCaps } from "./policy/condition-syntax.ts";
import {
  type Facts,
  FindingFacts,
  RequestFacts,
  SegmentFacts,
  SessionFacts,
  SubjectFacts,
  ToolFacts,
} from "./policy/facts.ts";
import { type SessionView, unknownSession } from "./session.ts";
import { nameOf, stages, trustName } from "./wire.ts";

/** A detection with the name of its detector. */
export interface NamedDetection {
  readonly detector: string;
  readonly detection: Detection;
}

/** A named detection with the position of its piece. */
export interface PlacedDetection extends NamedDetection {
  readonly piece: number;
}

/** The facts of one request. */
export class FactSheet {
  readonly #pieces: readonly Piece[];
  readonly #request: RequestFacts;
  readonly #subject: SubjectFacts;
  readonly #session: SessionFacts;
  /** Whether conditions may be asked about the session. */
  readonly isSessionKnown: boolean;
  readonly #segments = new Map<number, SegmentFacts>();
  readonly #tools = new Map<Piece["call"], ToolFacts>();
  readonly #exceeds = new Map<JsonObject, boolean>();
  readonly #findings = new Map<Detection, Map<string, FindingFacts>>();
  readonly #findingLists = new WeakMap<readonly unknown[], readonly FindingFacts[]>();

  constructor(
    request: EvaluateRequest,
    pieces: readonly Piece[],
    about: { readonly stage: Stage; readonly env: string; readonly session?: SessionView | undefined },
  ) {
    const { known, ledger } = about.session ?? unknownSession;
    this.isSessionKnown = known;
    this.#session = new SessionFacts(ledger);
    this.#pieces = pieces;
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

  /** The facts for a condition that is asked of a piece, and of a finding in it. */
  of(
    piece: number,
    more: {
      readonly lists: Facts["lists"];
      readonly findings: readonly PlacedDetection[];
      readonly finding: NamedDetection | undefined;
    },
  ): Facts {
    const { lists, findings, finding } = more;
    const tool = this.#toolOf(piece);
    return {
      request: this.#request,
      subject: this.#subject,
      session: this.#session,
      segment: this.#segmentOf(piece),
      lists,
      findings: this.#findingsOf(findings),
      ...(finding === undefined ? {} : { finding: this.#findingOf(finding, piece) }),
      ...(tool === undefined ? {} : { tool }),
    };
  }

  /** True when JSON that the condition reads has longer lists than its cost was reckoned for. */
  exceedsCaps(reads: ReadonlySet<string>, piece: number): boolean {
    const read = [
      reads.has("request") ? this.#request.metadata : {},
      reads.has("subject") ? this.#subject.attributes : {},
      reads.has("tool") ? (this.#toolOf(piece)?.args ?? {}) : {},
    ];
    return read.some((json) => this.#isTooLong(json));
  }

  #isTooLong(json: JsonObject): boolean {
    let known = this.#exceeds.get(json);
    if (known === undefined) {
      known = longestList(json) > listCaps.dynamic;
      this.#exceeds.set(json, known);
    }
    return known;
  }

  #segmentOf(piece: number): SegmentFacts {
    let facts = this.#segments.get(piece);
    if (facts === undefined) {
      const { id = "", role = "", origin = "", text = "", trust = 0 } = this.#pieces[piece] ?? {};
      facts = new SegmentFacts({ id, role, origin, text, trust: trustName(trust) });
      this.#segments.set(piece, facts);
    }
    return facts;
  }

  #toolOf(piece: number): ToolFacts | undefined {
    const call = this.#pieces[piece]?.call;
    if (call === undefined) return undefined;
    const facts = this.#tools.get(call) ?? new ToolFacts(call.name, call.arguments ?? {});
    this.#tools.set(call, facts);
    return facts;
  }

  #findingsOf(findings: readonly PlacedDetection[]): readonly FindingFacts[] {
    let facts = this.#findingLists.get(findings);
    if (facts === undefined) {
      facts = findings.map((each) => this.#findingOf(each, each.piece));
      this.#findingLists.set(findings, facts);
    }
    return facts;
  }

  #findingOf({ detection, detector }: NamedDetection, piece: number): FindingFacts {
    const byDetector = this.#findings.get(detection) ?? new Map<string, FindingFacts>();
    const facts = byDetector.get(detector) ?? new FindingFacts(detection, detector, this.#pieces[piece]?.id ?? "");
    this.#findings.set(detection, byDetector.set(detector, facts));
    return facts;
  }
}

/** The language that a request states; undefined when it does not. */
export function languageOf({ language }: EvaluateRequest): string | undefined {
  return language === undefined || language === "auto" ? undefined : language;
}

function longestList(root: JsonValue): number {
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

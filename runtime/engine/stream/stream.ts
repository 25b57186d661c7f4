// A text that is judged while it arrives. What is released is safe and exact: however the text is cut into chunks, all
// releases together are P(text) of release.ts, and the verdict equals the engine's verdict on the whole text. Text that
// a match with effect may still need is held back.

import type { EvaluateRequest, Finding, ToolCall } from "../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { OffsetUnit, Outcome } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import type { BackendAnswers } from "../backend/backend.ts";
import { byPosition, isEnforced, type Match } from "../decide/match.ts";
import type { EvaluationContext } from "../evaluate/context.ts";
import type { Evaluation } from "../evaluate/evaluation.ts";
import type { ApplicablePolicy } from "../policy-plan/applicability.ts";
import type { CompiledRule } from "../policy-plan/compiled-policy.ts";
import { Fingerprints } from "../respond/fingerprint.ts";
import { mergeSpans, Redactor, type RedactSpan } from "../respond/redact.ts";
import { type Block, firstEnding, releaseEnd } from "../respond/release.ts";
import { findingsOf } from "../respond/respond.ts";
import { type HoldBacks, holdBacksOf, type VerdictRule } from "./hold-back.ts";
import { HoldLimit } from "./hold-limit.ts";
import { StreamDecider } from "./stream-decider.ts";
import { StreamScanner } from "./stream-scanner.ts";
import type { StreamTables } from "./tables.ts";
import { TextTail } from "./text-tail.ts";
import { withText } from "./with-text.ts";

/** Maximum text held back for matches, in code units; beyond it rules are `unjudged: hold_limit`. */
export const maxHeldBack = 65_536;

/** The result of a chunk. */
export interface StreamStep {
  /** Text that may be passed on, redacted. */
  readonly released: string;
  /**
   * Findings that are now certain, including those without effect. Offsets are in the unit that the request asks for.
   */
  readonly findings: readonly Finding[];
}

/** The end of a stream. */
export interface StreamEnd {
  /** The rest of the text that may be passed on. */
  readonly released: string;
  readonly evaluation: Evaluation;
  /** The request with the whole text. */
  readonly request: EvaluateRequest;
}

/** Facts that are known only at the end. */
export interface StreamFinish {
  readonly toolCalls?: readonly ToolCall[];
  /** Microseconds since the verdict was asked for. */
  readonly elapsedUs?: () => number;
  /** The backends' answers for the whole text. */
  readonly backends?: BackendAnswers | undefined;
}

/** A text that is judged while it arrives. */
export interface EngineStream {
  /** Takes a chunk; it may be cut anywhere, even within a surrogate pair. */
  readonly push: (chunk: string) => StreamStep;
  /** The request with the whole text, with which backends are asked before the end. */
  readonly wholeRequest: (toolCalls: readonly ToolCall[]) => EvaluateRequest;
  /** Judges the whole text. A finished stream accepts no more text. */
  readonly finish: (finish?: StreamFinish) => StreamEnd;
  /** Code units that arrived and were not released. */
  readonly heldBack: number;
  /** Code units that arrived. */
  readonly length: number;
  /** Whether nothing more will be released before the verdict: a block took effect, or too much text was held back. */
  readonly isClosed: boolean;
  /** The rules for which all text waits for the verdict. */
  readonly untilVerdict: readonly VerdictRule[];
}

/** The inputs that an engine gives to each of its streams. */
export interface StreamTools {
  readonly environment: string;
  readonly applicable: readonly ApplicablePolicy[];
  readonly canFollow: (specKey: string) => boolean;
  readonly tablesOf: (keys: ReadonlySet<string>) => StreamTables;
  readonly evaluate: (request: EvaluateRequest, context: EvaluationContext) => Evaluation;
}

/** Opens a stream. The request has no text: the stream supplies the text of the short form, or of its only segment. */
export function openEngineStream(
  request: EvaluateRequest,
  context: EvaluationContext,
  tools: StreamTools,
): EngineStream {
  const judge = new StreamDecider(withText(request, "", []), context, tools);
  const holdBacks = holdBacksFor(request, context, tools, judge);
  return new TextStream(request, context, { tools, judge, holdBacks });
}

function holdBacksFor(
  request: EvaluateRequest,
  { stage, now }: EvaluationContext,
  { applicable, canFollow }: StreamTools,
  judge: StreamDecider,
): HoldBacks {
  const { keys, untilVerdict } = holdBacksOf(applicable, {
    ...{ stage, nowMs: now.getTime(), canFollow },
    rolloutValue: (by) => judge.rolloutValue(by),
    ask: (policy) => judge.askOf(policy),
  });
  if (request.outputSchema === undefined) return { keys, untilVerdict };
  const schema = { policy: "", rule: "output_schema", reason: "output_schema" } as const;
  return { keys, untilVerdict: [...untilVerdict, schema] };
}

/** The rules for which a stream of this request would wait for the verdict. The request's text does not matter. */
export function verdictRulesFor(
  request: EvaluateRequest,
  context: EvaluationContext,
  tools: StreamTools,
): readonly VerdictRule[] {
  const segments = request.segments.length === 1 ? request.segments : [];
  const about = withText({ ...request, messages: [], segments }, "", []);
  return holdBacksFor(about, context, tools, new StreamDecider(about, context, tools)).untilVerdict;
}

interface StreamParts {
  readonly tools: StreamTools;
  readonly judge: StreamDecider;
  readonly holdBacks: HoldBacks;
}

class TextStream implements EngineStream {
  length = 0;
  readonly untilVerdict: readonly VerdictRule[];
  readonly #request: EvaluateRequest;
  readonly #context: EvaluationContext;
  readonly #parts: StreamParts;
  readonly #fingerprints: Fingerprints;
  readonly #redactor: Redactor;
  readonly #chunks: string[] = [];
  /** The end of the text; undefined when nothing more can be released before the verdict. */
  #text: TextTail | undefined;
  #scanner: StreamScanner | undefined;
  /** Keys of the detectors whose findings hold text back. */
  readonly #keys: Set<string>;
  #out = 0;
  #releasedLength = 0;
  #spans: (RedactSpan & { readonly match: Match })[] = [];
  #blocks: Block[] = [];
  /**
   * Surrogate pairs before the start of the tail: the difference between its offset in code units and in code points.
   */
  #pairsBefore = 0;
  readonly #holdLimit = new HoldLimit();

  constructor(request: EvaluateRequest, context: EvaluationContext, parts: StreamParts) {
    this.#request = request;
    this.#context = context;
    this.#parts = parts;
    this.untilVerdict = parts.holdBacks.untilVerdict;
    this.#keys = new Set(parts.holdBacks.keys);
    this.#fingerprints = new Fingerprints(context.fingerprintKey);
    this.#redactor = new Redactor(this.#fingerprints, { kept: context.session?.vault ?? [], add: () => undefined });
    if (this.untilVerdict.length > 0) return;
    this.#text = new TextTail();
    if (this.#keys.size > 0) this.#scanner = new StreamScanner(parts.tools.tablesOf(this.#keys), parts.judge.source);
  }

  get heldBack(): number {
    return this.length - this.#out;
  }

  get isClosed(): boolean {
    return this.#text === undefined;
  }

  push(chunk: string): StreamStep {
    if (chunk !== "") this.#chunks.push(chunk);
    this.length += chunk.length;
    const text = this.#text;
    if (text === undefined || chunk === "") return { released: "", findings: [] };
    text.append(chunk);
    const settled = this.#scanner?.push(chunk);
    const matches = settled === undefined || settled.size === 0 ? [] : this.#parts.judge.judge(settled);
    for (const match of matches) this.#take(match);
    const findings = matches.length === 0 ? [] : this.#findingsOf(matches, text);
    const released = this.#release(text);
    if (this.heldBack > maxHeldBack && this.#text !== undefined) this.#giveUp();
    return { released, findings };
  }

  wholeRequest(toolCalls: readonly ToolCall[]): EvaluateRequest {
    return withText(this.#request, this.#chunks.join(""), toolCalls);
  }

  finish({ toolCalls = [], elapsedUs, backends }: StreamFinish = {}): StreamEnd {
    const { evaluate } = this.#parts.tools;
    const windows = this.#scanner?.windows;
    const context = {
      ...{ ...this.#context, backends },
      ...(elapsedUs && { elapsedUs }),
      ...(windows && { windows }),
    };
    const request = this.wholeRequest(toolCalls);
    const evaluation = evaluate(request, context);
    this.#text = undefined;
    this.#out = this.length;
    const judged = this.#holdLimit.applied(evaluation);
    if (this.#holdLimit.strictest > Outcome.ALLOW) return { released: "", evaluation: judged, request };
    const all = evaluation.released();
    const released = all.length <= this.#releasedLength ? "" : all.slice(this.#releasedLength);
    return { released, evaluation: judged, request };
  }

  #take(match: Match): void {
    if (!isEnforced(match)) return;
    const { start, end, category, rule } = match;
    if (rule.action === Outcome.BLOCK) this.#blocks.push({ start, end });
    if (rule.action === Outcome.REDACT)
      this.#spans.push({ segment: 0, start, end, category, style: rule.style, reversible: rule.reversible, match });
    // Findings arrive in another order than that of their rules, which breaks ties.
    this.#spans.sort((a, b) => byPosition(a.match, b.match));
  }

  #release(text: TextTail): string {
    const settled = this.#settledEnd(text);
    const first = firstEnding(this.#blocks);
    const isBlocked = first !== undefined && settled >= first.end;
    const limit = isBlocked ? first.start : Math.min(settled, ...this.#blocks.map(({ start }) => start));
    if (isBlocked) this.#text = undefined;
    if (limit <= this.#out) return "";
    const { base } = text;
    const near = this.#spans.map((span) => ({ ...span, start: span.start - base, end: span.end - base }));
    const merged = mergeSpans(text.text, near);
    const end = releaseEnd(text.text, merged, limit - base);
    const from = this.#out - base;
    if (end <= from) return "";
    const within = merged
      .filter((span) => span.start >= from && span.end <= end)
      .map((span) => ({ ...span, start: span.start - from, end: span.end - from }));
    const released = this.#redactor.rewrite(text.text.slice(from, end), within);
    this.#out = base + end;
    this.#releasedLength += released.length;
    this.#spans = this.#spans.filter((span) => span.end > this.#out);
    this.#trim(text);
    return released;
  }

  /** No match with effect that begins before this offset is still to come. */
  #settledEnd(text: TextTail): number {
    if (this.#scanner === undefined) return endsInside(text.text) ? text.end - 1 : text.end;
    let settled = text.end;
    for (const { key, edge } of this.#scanner.edges) if (edge < settled && this.#keys.has(key)) settled = edge;
    return settled;
  }

  #trim(text: TextTail): void {
    const { base, text: before } = text;
    text.trim(this.#out);
    if (text.base === base || this.#request.options?.offsets !== OffsetUnit.CODE_POINTS) return;
    this.#pairsBefore += pairsIn(before.slice(0, text.base - base));
  }

  #findingsOf(matches: readonly Match[], text: TextTail): Finding[] {
    const { segment } = this.#parts.judge;
    if (segment === undefined) return [];
    const { base } = text;
    const near = matches.map((match) => ({ ...match, segment: 0, start: match.start - base, end: match.end - base }));
    const unit = this.#request.options?.offsets || OffsetUnit.UTF16;
    const segments = [{ ...segment, text: text.text }];
    const shift = unit === OffsetUnit.CODE_POINTS ? base - this.#pairsBefore : base;
    return findingsOf({ matches: near, segments, fingerprints: this.#fingerprints }, unit).map((finding) => ({
      ...finding,
      start: finding.start + shift,
      end: finding.end + shift,
    }));
  }

  // Rules whose matches would need more text than may be held back are no longer judged; their `on_error` decides.
  #giveUp(): void {
    const late = this.length - maxHeldBack;
    for (const { key, edge } of this.#scanner?.edges ?? []) {
      if (edge >= late || !this.#keys.delete(key)) continue;
      for (const rule of this.#rulesOf(key)) this.#holdLimit.leave(rule, key);
    }
    if (this.#holdLimit.strictest > Outcome.ALLOW) this.#text = undefined;
  }

  #rulesOf(key: string): CompiledRule[] {
    const { stage } = this.#context;
    const rules = this.#parts.tools.applicable.flatMap(({ policy }) => policy.rules);
    return rules.filter(
      ({ stages, action, terms }) =>
        stages.has(stage) && action >= Outcome.REDACT && terms.some(({ specKey }) => specKey === key),
    );
  }
}

function endsInside(text: string): boolean {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff;
}

function pairsIn(text: string): number {
  return text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0;
}

// A text that is judged while it comes. What is released is safe, and exact: whatever the chunks, all releases together are P(text) of
// release.ts, and the verdict is what the engine says of the whole text. Held back is what a match that takes effect could still need.

import type { EvaluateRequest, Finding, ToolCall } from "../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { OffsetUnit, Outcome } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import type { ApplicablePolicy } from "../applicability.ts";
import type { BackendAnswers } from "../backend.ts";
import type { CompiledRule } from "../compiled-policy.ts";
import type { Evaluation, EvaluationContext } from "../evaluation.ts";
import { Fingerprints } from "../fingerprint.ts";
import { isEnforced, type Match } from "../match.ts";
import { mergeSpans, Redactor, type RedactSpan } from "../redact.ts";
import { findingsOf } from "../respond.ts";
import { HoldLimit } from "./hold-limit.ts";
import { StreamJudge } from "./judge.ts";
import { type Obligations, obligationsOf, type VerdictRule } from "./obligation.ts";
import { type Block, firstEnding, releaseEnd } from "./release.ts";
import { StreamScanner } from "./stream-scanner.ts";
import type { StreamTables } from "./tables.ts";
import { TextTail } from "./text-tail.ts";
import { withText } from "./with-text.ts";

/** The most text that is held back for matches, in code units; see `unjudged: hold_limit`. */
export const mostHeldBack = 65_536;

/** What a chunk led to. */
export interface StreamStep {
  /** Text that may go on, redacted. */
  readonly released: string;
  /** Findings that are certain now, those without effect included. Offsets count as the request asks. */
  readonly findings: readonly Finding[];
}

/** How a stream ended. */
export interface StreamEnd {
  /** The rest of what may go on. */
  readonly released: string;
  readonly evaluation: Evaluation;
  /** The request about the whole text. */
  readonly request: EvaluateRequest;
}

/** What is known at the end only. */
export interface StreamFinish {
  readonly toolCalls?: readonly ToolCall[];
  /** Microseconds since the verdict was asked for. */
  readonly elapsedUs?: () => number;
  /** What backends said of the whole text. */
  readonly backends?: BackendAnswers | undefined;
}

/** A text that is judged while it comes. */
export interface EngineStream {
  /** Takes a chunk, cut anywhere. */
  readonly push: (chunk: string) => StreamStep;
  /** The request about the whole text, by which backends are asked before the end. */
  readonly wholeRequest: (toolCalls: readonly ToolCall[]) => EvaluateRequest;
  /** Judges the whole text. A finished stream takes nothing more. */
  readonly finish: (finish?: StreamFinish) => StreamEnd;
  /** Units that came and were not released. */
  readonly heldBack: number;
  /** Units that came. */
  readonly length: number;
  /** Whether it is certain that nothing more will be released before the verdict: a block took effect, or the hold-back was too long. */
  readonly isClosed: boolean;
  /** The rules for which everything waits for the verdict. */
  readonly untilVerdict: readonly VerdictRule[];
}

/** What an engine gives to each of its streams. */
export interface StreamTools {
  readonly environment: string;
  readonly applicable: readonly ApplicablePolicy[];
  readonly canFollow: (specKey: string) => boolean;
  readonly tablesOf: (keys: ReadonlySet<string>) => StreamTables;
  readonly evaluate: (request: EvaluateRequest, context: EvaluationContext) => Evaluation;
}

/** Opens a stream. The request has no text: that of the short form, or of its only segment, is what will come. */
export function openEngineStream(
  request: EvaluateRequest,
  context: EvaluationContext,
  tools: StreamTools,
): EngineStream {
  const judge = new StreamJudge(withText(request, "", []), context, tools);
  const obligations = obligationsFor(request, context, tools, judge);
  return new TextStream(request, context, { tools, judge, obligations });
}

function obligationsFor(
  request: EvaluateRequest,
  { stage, now }: EvaluationContext,
  { applicable, canFollow }: StreamTools,
  judge: StreamJudge,
): Obligations {
  const { keys, untilVerdict } = obligationsOf(applicable, {
    ...{ stage, nowMs: now.getTime(), canFollow },
    rolloutValue: (by) => judge.rolloutValue(by),
    ask: (policy) => judge.askOf(policy),
  });
  if (request.outputSchema === undefined) return { keys, untilVerdict };
  const schema = { policy: "", rule: "output_schema", reason: "output_schema" } as const;
  return { keys, untilVerdict: [...untilVerdict, schema] };
}

/** The rules for which a stream of this request would wait for the verdict. Its text does not matter. */
export function verdictRulesFor(
  request: EvaluateRequest,
  context: EvaluationContext,
  tools: StreamTools,
): readonly VerdictRule[] {
  const segments = request.segments.length === 1 ? request.segments : [];
  const about = withText({ ...request, messages: [], segments }, "", []);
  return obligationsFor(about, context, tools, new StreamJudge(about, context, tools)).untilVerdict;
}

interface StreamParts {
  readonly tools: StreamTools;
  readonly judge: StreamJudge;
  readonly obligations: Obligations;
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
  /** The end of the text; undefined when nothing can be released before the verdict any more. */
  #text: TextTail | undefined;
  #scanner: StreamScanner | undefined;
  /** Keys of detectors whose hold-back counts. */
  readonly #keys: Set<string>;
  #out = 0;
  #releasedLength = 0;
  #spans: RedactSpan[] = [];
  #blocks: Block[] = [];
  /** Code points, less than units, before the begin of the tail. */
  #pairsBefore = 0;
  readonly #holdLimit = new HoldLimit();

  constructor(request: EvaluateRequest, context: EvaluationContext, parts: StreamParts) {
    this.#request = request;
    this.#context = context;
    this.#parts = parts;
    this.untilVerdict = parts.obligations.untilVerdict;
    this.#keys = new Set(parts.obligations.keys);
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
    if (this.heldBack > mostHeldBack && this.#text !== undefined) this.#giveUp();
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
      this.#spans.push({ piece: 0, start, end, category, style: rule.style, reversible: rule.reversible });
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

  /** Nothing that takes effect and begins before it is still to come. */
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
    const { piece } = this.#parts.judge;
    if (piece === undefined) return [];
    const { base } = text;
    const near = matches.map((match) => ({ ...match, piece: 0, start: match.start - base, end: match.end - base }));
    const unit = this.#request.options?.offsets || OffsetUnit.UTF16;
    const pieces = [{ ...piece, text: text.text }];
    const shift = unit === OffsetUnit.CODE_POINTS ? base - this.#pairsBefore : base;
    return findingsOf({ matches: near, pieces, fingerprints: this.#fingerprints }, unit).map((finding) => ({
      ...finding,
      start: finding.start + shift,
      end: finding.end + shift,
    }));
  }

  // Rules whose matches would need more text than may be held back are not judged any more; their on_error decides.
  #giveUp(): void {
    const late = this.length - mostHeldBack;
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

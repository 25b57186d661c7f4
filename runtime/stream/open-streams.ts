// The open streams of a process: their max number, the max text that they hold, and the end of a stream.

import { Reason } from "../../gen/policyguard/common/v1/reason_pb.ts";
import type { EvaluateRequest, EvaluateResponse } from "../../gen/policyguard/policy/v1/evaluation_pb.ts";
import type { Stage } from "../../gen/policyguard/policy/v1/outcome_pb.ts";
import type { ToolCallPart } from "../../gen/policyguard/policy/v1/stream_pb.ts";
import { Fault, validationFailed } from "../../src/kit/fault/fault.ts";
import type { StreamStep } from "../engine/stream/stream.ts";
import type { Evaluator, OpenedStream } from "../evaluate/evaluator.ts";
import { CallParts } from "./call-parts.ts";
import { type StreamLimits, streamLimits } from "./stream-limits.ts";
import { TextChunks } from "./text-chunks.ts";

/** A step, and how the stream stands after it. */
export interface LiveStep extends StreamStep {
  readonly heldBack: number;
  readonly isClosed: boolean;
}

/** How a stream ended. */
export interface LiveEnd {
  readonly released: string;
  readonly verdict: EvaluateResponse | Promise<EvaluateResponse>;
}

/** Keeps the open streams of a process within their bounds. */
export class OpenStreams {
  readonly limits: StreamLimits;
  readonly #evaluator: Pick<Evaluator, "openStream">;
  readonly #open = new Set<LiveStream>();
  #units = 0;

  constructor(evaluator: Pick<Evaluator, "openStream">, limits: StreamLimits = streamLimits) {
    this.#evaluator = evaluator;
    this.limits = limits;
  }

  /** Streams open now. */
  get count(): number {
    return this.#open.size;
  }

  /** Code units that open streams have taken and not released. */
  get heldBack(): number {
    let held = 0;
    for (const { heldBack } of this.#open) held += heldBack;
    return held;
  }

  /** Opens a stream. Throws `overloaded` when the max number is open. */
  open(request: EvaluateRequest, stage: Stage): LiveStream {
    if (this.#open.size >= this.limits.streams) throw overloaded("this process has as many open streams as it may");
    const problems = [];
    if (request.text !== undefined)
      problems.push({ field: "request.text", message: "expected none: the chunks are the text" });
    if (request.messages.length > 0) problems.push({ field: "request.messages", message: "expected none" });
    if (request.segments.length > 1) problems.push({ field: "request.segments", message: "expected one at most" });
    if (request.segments.some(({ text }) => text !== ""))
      problems.push({ field: "request.segments[0].text", message: "expected none: the chunks are the text" });
    if (problems.length > 0) throw validationFailed(problems);
    const live = new LiveStream(this.#evaluator.openStream(request, stage), this.limits, {
      grow: (units) => this.#grow(units),
      close: (units) => {
        this.#units -= units;
        this.#open.delete(live);
      },
    });
    this.#open.add(live);
    return live;
  }

  #grow(units: number): void {
    if (this.#units + units > this.limits.allUnits)
      throw overloaded("the open streams of this process have too much text together");
    this.#units += units;
  }
}

interface Ledger {
  readonly grow: (units: number) => void;
  readonly close: (units: number) => void;
}

/** One open stream. It makes exactly one record, however it ends. */
export class LiveStream {
  readonly #opened: OpenedStream;
  readonly #limits: StreamLimits;
  readonly #ledger: Ledger;
  readonly #calls: CallParts;
  readonly #chunks = new TextChunks();
  #isOver = false;

  constructor(opened: OpenedStream, limits: StreamLimits, ledger: Ledger) {
    this.#opened = opened;
    this.#limits = limits;
    this.#ledger = ledger;
    this.#calls = new CallParts(limits);
  }

  get heldBack(): number {
    return this.#opened.stream.heldBack + this.#chunks.heldBack;
  }

  /** Why all text waits for the verdict, as "policy/rule (reason)". */
  get untilVerdict(): string[] {
    return this.#opened.stream.untilVerdict.map(({ policy, rule, reason }) => `${policy}/${rule} (${reason})`);
  }

  /** Takes more of the text, cut at any unit. Throws when the stream gets too long. */
  push(delta: string): LiveStep {
    this.#assertOpen();
    const { stream } = this.#opened;
    if (stream.length + this.#chunks.heldBack + delta.length > this.#limits.units)
      throw validationFailed([
        { field: "delta", message: `expected at most ${this.#limits.units} units of text in all` },
      ]);
    const text = this.#chunks.add(delta);
    this.#ledger.grow(text.length);
    const step = stream.push(text);
    return { ...step, heldBack: this.heldBack, isClosed: stream.isClosed };
  }

  /** Takes more of a tool call. */
  addCall(part: ToolCallPart): void {
    this.#calls.add(part);
  }

  /** Asks the detector backends before the end; undefined when there is nothing to ask. */
  ask(): Promise<void> | undefined {
    return this.#opened.ask(this.#calls.calls());
  }

  /**
   * Ends the stream: judges the whole text and records it. When the text or a call is not complete, throws and leaves
   * the stream open.
   */
  finish(): LiveEnd {
    this.#chunks.end();
    const calls = this.#calls.calls();
    const { released, response } = this.#end(() => this.#opened.finish(calls));
    return { released, verdict: response };
  }

  /** Ends a stream whose caller is gone: the text so far is judged and recorded, and nobody gets the answer. */
  cancel(): void {
    if (this.#isOver) return;
    const { length } = this.#opened.stream;
    this.#end(() => {
      if (length === 0) return this.#opened.drop();
      // The caller is gone, so the error is dropped: the disk reports its own failures, and the lease was given back.
      try {
        Promise.resolve(this.#opened.finish([]).response).catch(() => undefined);
      } catch {
        return;
      }
    });
  }

  #assertOpen(): void {
    if (this.#isOver)
      throw new Fault(Reason.DEADLINE_EXCEEDED, "the stream has ended: its results were not taken for too long");
  }

  #end<T>(finish: () => T): T {
    this.#assertOpen();
    this.#isOver = true;
    const { length } = this.#opened.stream;
    try {
      return finish();
    } finally {
      this.#ledger.close(length);
    }
  }
}

function overloaded(message: string): Fault {
  return new Fault(Reason.OVERLOADED, message, { extra: { retry_after: 1 }, headers: { "Retry-After": "1" } });
}

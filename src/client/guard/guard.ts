// The guard of an application: one method for each moment of its turn. What may go on is returned, what may not is
// thrown. Works over any client of EvaluationService.

import { create, type JsonObject, type JsonValue, type MessageInitShape } from "@bufbuild/protobuf";
import type { CallOptions, Client } from "@connectrpc/connect";
import {
  ChunkDecision,
  type EvaluateRequest,
  type EvaluateRequestSchema,
  type EvaluateResponse,
} from "../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { Outcome, Stage, Trust } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { StreamOpeningSchema } from "../../../gen/policyguard/policy/v1/stream_pb.ts";
import type { EvaluationService } from "../../../gen/policyguard/runtime/v1/evaluation_service_pb.ts";
import { BlockedError, type StageName } from "./blocked.ts";
import { callWithRetries } from "./call.ts";
import { type ChatMessage, textsOf, wellFormed, withTexts } from "./content.ts";
import { type Decision, decisionOf, outcomeName, passed } from "./decision.ts";
import { RequestError, UnavailableError } from "./error.ts";
import { restoreValue } from "./restore.ts";
import { type GuardedStream, guardedStream, readableOf, textsIn } from "./stream.ts";
import type { StreamCall } from "./stream-call.ts";

/** Who asks, for whom, and about what. Policies may ask for all of it; traces show it. */
export interface GuardContext {
  /** The part of the application that asks, such as "support-bot". */
  readonly agentId?: string;
  /** The conversation. Placeholders are put back, and sessions remembered, within it. */
  readonly sessionId?: string;
  /** The person on whose behalf the application acts. */
  readonly user?: { readonly id?: string; readonly roles?: readonly string[]; readonly attributes?: JsonObject };
  /** The model that the text goes to or comes from. */
  readonly model?: { readonly provider?: string; readonly name?: string };
  /** A BCP 47 tag, or "auto" to have it detected. */
  readonly language?: string;
  /** Labels for the trace. */
  readonly metadata?: JsonObject;
  /** Put originals back into answers, streams and arguments of calls. Needs `sessionId`. Default: false. */
  readonly restore?: boolean;
  /** Ends the call; the guard then throws the signal's reason. */
  readonly signal?: AbortSignal;
}

/** How a guard behaves when no decision can be made. */
export interface GuardBehaviour {
  /** "block" throws an UnavailableError, "allow" lets the text pass and says so in `decision.unavailable`. */
  readonly onUnavailable: "block" | "allow";
  readonly timeoutMs: number;
  readonly retries: number;
}

/** The context of a stream, and what its text is. */
export interface StreamOptions extends GuardContext {
  /** Default: "output". */
  readonly stage?: "input" | "output" | "tool_result";
}

/** A text that may go on. */
export interface GuardedText {
  /** The text to go on with: rewritten when the decision is REDACT. */
  readonly text: string;
  readonly decision: Decision;
}

/** Messages that may go on. */
export interface GuardedMessages<Message> {
  readonly messages: Message[];
  readonly decision: Decision;
}

/** A call that a model proposes. `arguments` is an object, or its JSON as OpenAI's API has it. */
export interface ProposedCall {
  readonly id?: string;
  readonly name: string;
  readonly arguments: JsonObject | string;
}

/** A call that must not be made. */
export interface BlockedCall<Call> {
  readonly call: Call;
  /** The rules that say so. */
  readonly ruleIds: readonly string[];
}

/** Calls that may be made, with rewritten arguments where the policy redacts, and calls that may not. */
export interface GuardedCalls<Call> {
  readonly allowed: Call[];
  readonly blocked: BlockedCall<Call>[];
  readonly decision: Decision;
}

/** A retrieved passage. Further members are kept. */
export interface Passage {
  readonly text: string;
  /** Where it is from, such as "wiki" or a URL. */
  readonly origin?: string;
  /** Whether its author may instruct the model. Default: no. */
  readonly isTrusted?: boolean;
}

/** Passages to use, and passages to leave out. */
export interface GuardedPassages<Kept> {
  readonly kept: Kept[];
  readonly dropped: Kept[];
  readonly decision: Decision;
}

type Request = Exclude<MessageInitShape<typeof EvaluateRequestSchema>, EvaluateRequest>;
type Evaluate = (request: Request, options: CallOptions) => Promise<EvaluateResponse>;

/** Judges what an application passes on. Made by `createGuard`. */
export class Guard {
  readonly #client: Client<typeof EvaluationService>;
  readonly #stream: StreamCall;
  readonly #behaviour: GuardBehaviour;
  readonly #context: GuardContext;

  constructor(
    client: Client<typeof EvaluationService>,
    stream: StreamCall,
    behaviour: GuardBehaviour,
    context: GuardContext = {},
  ) {
    this.#client = client;
    this.#stream = stream;
    this.#behaviour = behaviour;
    this.#context = context;
  }

  /** The same guard with a context of its own: for one conversation, one person, one model. */
  with(context: GuardContext): Guard {
    return new Guard(this.#client, this.#stream, this.#behaviour, { ...this.#context, ...context });
  }

  /** The guard of one conversation. */
  session(sessionId: string, context: Omit<GuardContext, "sessionId"> = {}): Guard {
    return this.with({ ...context, sessionId });
  }

  /** Judges what is about to reach the model: a text, or messages in the form of the chat APIs. */
  input(text: string, context?: GuardContext): Promise<GuardedText>;
  input<Message extends ChatMessage>(
    messages: readonly Message[],
    context?: GuardContext,
  ): Promise<GuardedMessages<Message>>;
  async input(content: string | readonly ChatMessage[], context: GuardContext = {}): Promise<unknown> {
    const evaluate: Evaluate = (request, options) => this.#client.evaluateInput(request, options);
    if (typeof content === "string") return this.#judgeText("input", content, evaluate, context);
    return this.#judgeMessages(content, evaluate, context);
  }

  /** Judges messages as a whole conversation, each turn at its own stage: for transcripts that were never judged. */
  conversation<Message extends ChatMessage>(
    messages: readonly Message[],
    context: GuardContext = {},
  ): Promise<GuardedMessages<Message>> {
    return this.#judgeMessages(
      messages,
      (request, options) => this.#client.evaluateConversation(request, options),
      context,
    );
  }

  /** Judges a complete answer of the model. With `outputSchema` also its form. */
  async output(
    text: string,
    { outputSchema, ...context }: GuardContext & { readonly outputSchema?: string } = {},
  ): Promise<GuardedText> {
    const evaluate: Evaluate = (request, options) => this.#client.evaluateOutput({ ...request, outputSchema }, options);
    const judged = await this.#judgeText("output", text, evaluate, context);
    return { ...judged, text: await this.#restoreIfAsked(judged.text, context) };
  }

  /** Judges what a tool returned, before it enters the context. */
  toolResult(text: string, { tool, ...context }: GuardContext & { readonly tool?: string } = {}): Promise<GuardedText> {
    const origin = tool === undefined ? undefined : `tool:${tool}`;
    return this.#judgeText(
      "tool_result",
      text,
      ({ text, ...request }, options) =>
        this.#client.evaluateToolResult({ ...request, segments: [{ id: "s1", origin, text }] }, options),
      context,
    );
  }

  /** Judges calls that a model proposes, each by itself. */
  async toolCalls<Call extends ProposedCall>(
    calls: readonly Call[],
    context: GuardContext = {},
  ): Promise<GuardedCalls<Call>> {
    if (calls.length === 0) return { allowed: [], blocked: [], decision: passed() };
    const toolCalls = calls.map((call, index) => ({
      id: call.id ?? `c${index}`,
      name: call.name,
      arguments: argumentsOf(call),
    }));
    const decision = await this.#decide(
      { toolCalls },
      (request, options) => this.#client.evaluateToolCall(request, options),
      context,
    );
    const { response } = decision;
    const allowed: Call[] = [];
    const blocked: BlockedCall<Call>[] = [];
    for (const [index, call] of calls.entries()) {
      const { outcome = Outcome.UNSPECIFIED, ruleIds = [], arguments: rewritten } = response?.toolCalls[index] ?? {};
      if (response !== undefined && outcomeName(outcome) === "BLOCK") blocked.push({ call, ruleIds });
      else allowed.push(await this.#withArguments(call, rewritten, context));
    }
    if (decision.outcome === "BLOCK" && blocked.length === 0) throw new BlockedError("tool_call", decision);
    return { allowed, blocked, decision };
  }

  /** Judges retrieved passages, each by itself. */
  retrieval(passages: readonly string[], context?: GuardContext): Promise<GuardedPassages<string>>;
  retrieval<Kind extends Passage>(passages: readonly Kind[], context?: GuardContext): Promise<GuardedPassages<Kind>>;
  async retrieval(passages: readonly (string | Passage)[], context: GuardContext = {}): Promise<unknown> {
    if (passages.length === 0) return { kept: [], dropped: [], decision: passed() };
    const segments = passages.map((passage, index) => segmentOf(passage, `p${index}`));
    const decision = await this.#decide(
      { segments },
      (request, options) => this.#client.evaluateRetrieval(request, options),
      context,
    );
    const { response } = decision;
    const kept: (string | Passage)[] = [];
    const dropped: (string | Passage)[] = [];
    for (const [index, passage] of passages.entries()) {
      const { decision: what = ChunkDecision.UNSPECIFIED, text } = response?.chunks[index] ?? {};
      if (response !== undefined && !usableChunks.has(what)) dropped.push(passage);
      else if (text === undefined) kept.push(passage);
      else kept.push(typeof passage === "string" ? text : { ...passage, text });
    }
    if (decision.outcome === "BLOCK" && dropped.length === 0) throw new BlockedError("retrieval", decision);
    return { kept, dropped, decision };
  }

  /** Judges a text while it comes: pipe the model's text through it. The stage is "output" unless told otherwise. */
  stream({ stage = "output", ...context }: StreamOptions = {}): GuardedStream {
    const merged = { ...this.#context, ...context };
    const opening = create(StreamOpeningSchema, { stage: streamStages[stage], request: requestOf(merged) });
    return guardedStream({
      ...this.#behaviour,
      stage,
      opening,
      call: this.#stream,
      signal: merged.signal,
      restore: merged.restore ? (texts) => this.#restoreTexts(texts, merged) : undefined,
    });
  }

  /** The same for `for await`: what may go on of the source, as it comes. Throws a BlockedError at a block. */
  streamFrom(source: AsyncIterable<string>, options?: StreamOptions): AsyncGenerator<string, void> {
    return textsIn(readableOf(source).pipeThrough(this.stream(options)));
  }

  /** The text, or any JSON value, with the originals of this conversation in place of its placeholders. */
  async restore<Value extends JsonValue>(value: Value, context: GuardContext = {}): Promise<Value> {
    const merged = { ...this.#context, ...context };
    // Strings become other strings; the form stays as it is.
    return (await restoreValue(value, (texts) => this.#restoreTexts(texts, merged))) as Value;
  }

  async #judgeText(stage: StageName, text: string, evaluate: Evaluate, context: GuardContext): Promise<GuardedText> {
    const decision = await this.#decide({ text: wellFormed(text) }, evaluate, context);
    if (decision.outcome === "BLOCK") throw new BlockedError(stage, decision);
    const { response } = decision;
    return { text: response?.text ?? response?.redactedSegments[0]?.text ?? text, decision };
  }

  async #judgeMessages<Message extends ChatMessage>(
    messages: readonly Message[],
    evaluate: Evaluate,
    context: GuardContext,
  ): Promise<GuardedMessages<Message>> {
    const segments = textsOf(messages).map((segment) => ({ ...segment, text: wellFormed(segment.text) }));
    if (segments.length === 0) return { messages: [...messages], decision: passed() };
    const decision = await this.#decide({ segments }, evaluate, context);
    if (decision.outcome === "BLOCK") throw new BlockedError("input", decision);
    const rewritten = decision.response?.redactedSegments ?? [];
    return { messages: withTexts(messages, new Map(rewritten.map(({ id, text }) => [id, text]))), decision };
  }

  async #decide(content: Request, evaluate: Evaluate, context: GuardContext): Promise<Decision> {
    const merged = { ...this.#context, ...context };
    const request = { ...requestOf(merged), ...content };
    try {
      return decisionOf(await this.#call((options) => evaluate(request, options), merged));
    } catch (error) {
      if (!(error instanceof UnavailableError) || this.#behaviour.onUnavailable === "block") throw error;
      return passed(error);
    }
  }

  #call<T>(attempt: (options: CallOptions) => Promise<T>, { signal }: GuardContext): Promise<T> {
    const { timeoutMs, retries } = this.#behaviour;
    return callWithRetries(attempt, { timeoutMs, retries, signal });
  }

  async #withArguments<Call extends ProposedCall>(
    call: Call,
    rewritten: JsonObject | undefined,
    context: GuardContext,
  ): Promise<Call> {
    if (rewritten === undefined && !{ ...this.#context, ...context }.restore) return call;
    const value = await this.#restoreIfAsked(rewritten ?? argumentsOf(call), context);
    return { ...call, arguments: typeof call.arguments === "string" ? JSON.stringify(value) : value };
  }

  async #restoreIfAsked<Value extends JsonValue>(value: Value, context: GuardContext): Promise<Value> {
    return { ...this.#context, ...context }.restore ? this.restore(value, context) : value;
  }

  async #restoreTexts(texts: readonly string[], context: GuardContext): Promise<readonly string[]> {
    const { sessionId } = context;
    if (sessionId === undefined) throw new RequestError("validation_failed", "`restore` needs a `sessionId`");
    const segments = texts.map((text, index) => ({ id: String(index), text }));
    try {
      const restore = (options: CallOptions) => this.#client.restorePlaceholders({ sessionId, segments }, options);
      const answer = await this.#call(restore, context);
      return answer.segments.map(({ text }) => text);
    } catch (error) {
      // The runtime keeps nothing of the session: what looks like placeholders are none of its own.
      if (error instanceof RequestError && error.reason === "not_found") return texts;
      if (error instanceof UnavailableError && this.#behaviour.onUnavailable === "allow") return texts;
      throw error;
    }
  }
}

/** Nothing goes on by a decision that this version does not know. */
const usableChunks: ReadonlySet<ChunkDecision> = new Set([ChunkDecision.KEEP, ChunkDecision.REDACT]);

const streamStages = { input: Stage.INPUT, output: Stage.OUTPUT, tool_result: Stage.TOOL_RESULT };

function requestOf({ agentId, sessionId, user, model, language, metadata }: GuardContext): Request {
  const subject = user && { userId: user.id, roles: [...(user.roles ?? [])], attributes: user.attributes };
  // Each attempt of a call names the same evaluation.
  return { evaluationId: crypto.randomUUID(), agentId, sessionId, subject, model, language, metadata };
}

function argumentsOf({ name, arguments: value }: ProposedCall): JsonObject {
  if (typeof value !== "string") return value;
  let parsed: JsonValue;
  try {
    parsed = JSON.parse(value === "" ? "{}" : value);
  } catch (cause) {
    throw new RequestError("malformed_request", `the arguments of the call of ${name} are not JSON`, cause);
  }
  if (typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)) return parsed;
  throw new RequestError("malformed_request", `the arguments of the call of ${name} are no JSON object`);
}

function segmentOf(passage: string | Passage, id: string) {
  const { text, origin, isTrusted = false } = typeof passage === "string" ? { text: passage } : passage;
  return { id, text: wellFormed(text), origin, trust: isTrusted ? Trust.TRUSTED : Trust.UNTRUSTED };
}

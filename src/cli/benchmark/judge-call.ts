// How judges are asked: over HTTP by the contracts of detector backends, or as a program that answers line by line.
// Each text is asked about once. Whatever is no answer is told as such; it never counts as "nothing found".

import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import type { BackendFinding } from "../../../runtime/engine/backend/backend.ts";
import { AnswerInvalid, parsedAnswer } from "../../../runtime/evaluate/backend/answer.ts";
import { together } from "../../../runtime/evaluate/backend/contract.ts";
import { contracts } from "../../../runtime/evaluate/backend/shape.ts";
import type { Judge, JudgeServer } from "./judge.ts";

/** Why a judge gave no answer. It is uploaded, so it is a fixed word: what a judge itself says may quote a text. */
export type JudgeFailure = "timeout" | "unreachable" | "refused" | "invalid_answer" | "ended";

/** What a judge says about texts: findings of each, in order, or why there are none. */
export type JudgeAnswer =
  | { readonly findings: readonly (readonly BackendFinding[])[] }
  | { readonly failure: JudgeFailure; readonly why: string };

/** A judge that can be asked. */
export interface JudgeCalls {
  /** Questions that it is asked at once. */
  readonly atOnce: number;
  /** Asks about the texts of one sample. Never throws. */
  ask(texts: readonly string[]): Promise<JudgeAnswer>;
  close(): void;
}

const maxAnswerBytes = 4 * 2 ** 20;
const callsAtOnce = 4;

/** Opens the way to a judge. */
export function openJudge(judge: Judge, env: NodeJS.ProcessEnv): JudgeCalls {
  const { at, ...rest } = judge;
  return "command" in at ? new JudgeProgram({ ...rest, command: at.command, env }) : serverCalls({ ...rest, at });
}

/** A failure that has a name. */
class NoAnswer extends Error {
  readonly failure: JudgeFailure;

  constructor(failure: JudgeFailure, why: string) {
    super(why);
    this.failure = failure;
  }
}

function answerOf(error: unknown): JudgeAnswer {
  if (error instanceof NoAnswer) return { failure: error.failure, why: error.message };
  if (error instanceof AnswerInvalid) return { failure: "invalid_answer", why: error.message };
  throw error;
}

function serverCalls(judge: {
  readonly key: string;
  readonly timeoutMs: number;
  readonly at: JudgeServer;
}): JudgeCalls {
  return {
    atOnce: callsAtOnce,
    ask: async (texts) => {
      try {
        return { findings: await askServer(judge, texts) };
      } catch (error) {
        return answerOf(error);
      }
    },
    close: () => undefined,
  };
}

async function askServer(
  { key, timeoutMs, at }: Parameters<typeof serverCalls>[0],
  texts: readonly string[],
): Promise<BackendFinding[][]> {
  const { url, shape, header } = at;
  const contract = contracts[shape];
  const signal = AbortSignal.timeout(timeoutMs);
  const headers = {
    ...{ "content-type": "application/json", accept: "application/json" },
    ...contract.headers?.({ key, url, shape, timeoutMs, authHeader: header?.name }),
    ...(header !== undefined && { [header.name]: header.value }),
  };
  const post = async (body: object) => {
    // A redirect is an answer like any other: texts go to the address that was named, and nowhere else.
    const request = { method: "POST", redirect: "manual", signal, headers, body: JSON.stringify(body) } as const;
    const { status, bytes } = await answered(url, request).catch((error: unknown) => {
      if (signal.aborted) throw new NoAnswer("timeout", `no answer within ${timeoutMs} ms`);
      if (error instanceof AnswerInvalid) throw error;
      throw new NoAnswer("unreachable", `${url} cannot be reached: ${reasonOf(error)}`);
    });
    if (status !== 200) throw new NoAnswer("refused", `expected status 200, got ${status}`);
    return parsedAnswer(bytes);
  };
  const all: BackendFinding[][] = [];
  for (let from = 0; from < texts.length; from += contract.batch) {
    const some = texts.slice(from, from + contract.batch);
    const answers: BackendFinding[][][] = [];
    // One after the other: more samples are under way beside this one.
    for (const { body, read } of contract.calls(some, at)) answers.push(read(await post(body)));
    all.push(...together(answers, some.length));
  }
  return all;
}

async function answered(url: string, request: RequestInit): Promise<{ readonly status: number; bytes: Buffer }> {
  const answer = await fetch(url, request);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of answer.body ?? []) {
    size += chunk.length;
    if (size > maxAnswerBytes) throw new AnswerInvalid("the answer is too large");
    chunks.push(chunk);
  }
  return { status: answer.status, bytes: Buffer.concat(chunks) };
}

function reasonOf(error: unknown): string {
  const { cause } = error instanceof Error ? error : { cause: undefined };
  if (cause instanceof Error) return "code" in cause ? String(cause.code) : cause.message;
  return error instanceof Error ? error.message : String(error);
}

interface ProgramOptions {
  readonly command: readonly string[];
  readonly timeoutMs: number;
  readonly env: NodeJS.ProcessEnv;
}

/**
 * A program that gets a line of JSON for each sample, `{"id": 1, "texts": […]}`, and answers with one of the same id
 * and otherwise as a server of the shape `policy-guard` does. One that is late, wrong or ends is started anew with the
 * next question. Thus no answer is taken for that of another sample.
 */
class JudgeProgram implements JudgeCalls {
  readonly atOnce = 1;
  readonly #options: ProgramOptions;
  #child: ChildProcessByStdio<Writable, Readable, null> | undefined;
  #asked = 0;

  constructor(options: ProgramOptions) {
    this.#options = options;
  }

  async ask(texts: readonly string[]): Promise<JudgeAnswer> {
    const id = ++this.#asked;
    try {
      const answer = parsedAnswer(await this.#line(JSON.stringify({ id, texts })));
      const findings = contracts["policy-guard"].calls(texts, {}).flatMap(({ read }) => read(answer));
      if ((answer as { readonly id?: unknown }).id !== id) throw new AnswerInvalid(`expected the answer to ${id}`);
      return { findings };
    } catch (error) {
      this.close();
      return answerOf(error);
    }
  }

  close(): void {
    this.#child?.kill("SIGKILL");
    this.#child = undefined;
  }

  #line(question: string): Promise<Buffer> {
    const child = this.#started();
    const { timeoutMs } = this.#options;
    return new Promise<Buffer>((resolve, reject) => {
      let held = Buffer.alloc(0);
      const timer = setTimeout(() => end(new NoAnswer("timeout", `no answer within ${timeoutMs} ms`)), timeoutMs);
      const onData = (chunk: Buffer) => {
        held = Buffer.concat([held, chunk]);
        const at = held.indexOf("\n");
        if (at >= 0 && at < held.length - 1) end(new AnswerInvalid("it answered more than one line"));
        else if (at >= 0) end(held.subarray(0, at));
        else if (held.length > maxAnswerBytes) end(new AnswerInvalid("the answer is too large"));
      };
      const onError = (error: Error) => end(new NoAnswer("unreachable", `it cannot be started: ${reasonOf(error)}`));
      const onClose = (code: number | null) => end(new NoAnswer("ended", `it ended with ${code ?? "a signal"}`));
      const end = (result: Buffer | Error) => {
        clearTimeout(timer);
        child.stdout.off("data", onData);
        child.off("error", onError).off("close", onClose);
        if (result instanceof Error) reject(result);
        else resolve(result);
      };
      child.stdout.on("data", onData);
      child.on("error", onError).on("close", onClose);
      child.stdin.write(`${question}\n`);
    });
  }

  #started(): ChildProcessByStdio<Writable, Readable, null> {
    if (this.#child !== undefined) return this.#child;
    // The token of the control plane is none of its business.
    const { command, env: all } = this.#options;
    const { POLICY_GUARD_TOKEN: _, ...env } = all;
    const [program = "", ...args] = command;
    const child = spawn(program, args, { stdio: ["pipe", "pipe", "ignore"], env });
    // A program that does not read has ended, or ends: both are told by its end or the time.
    child.stdin.on("error", () => undefined);
    // Between two questions nobody listens; whoever asks next finds that it ended.
    child.on("error", () => undefined);
    child.once("close", () => {
      if (this.#child === child) this.#child = undefined;
    });
    this.#child = child;
    return child;
  }
}

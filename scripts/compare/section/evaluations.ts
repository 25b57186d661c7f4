// Texts through the runtime: most in batches, some by each of the other calls.

import { call, inParallel } from "../call.ts";
import { type Agents, requestOf } from "../input/requests.ts";
import { isObject, type Json, type JsonObject, listAt, sorted } from "../json.ts";
import type { Runtime } from "../process/runtime.ts";
import type { Recording } from "../recording.ts";

const batchSize = 64;

/** Evaluates every text, and some of them by single calls too. */
export async function recordEvaluations(
  runtime: Runtime,
  texts: readonly string[],
  agents: Agents,
  recording: Recording,
): Promise<void> {
  await recordBatches(runtime, texts, agents, recording);
  const few = texts.slice(0, Math.ceil(texts.length / 25));
  await recordSingles(runtime, few, agents, recording);
  await recordAdapters(runtime, few.slice(0, Math.ceil(few.length / 4)), recording);
}

/** The evaluations of the texts in batches, with ids that are made of the name. */
export async function recordBatches(
  { url, token }: Runtime,
  texts: readonly string[],
  agents: Agents,
  recording: Recording,
  idName = "evaluations",
): Promise<void> {
  const batches = Array.from({ length: Math.ceil(texts.length / batchSize) }, (_, index) => index * batchSize);
  await inParallel(batches, 2, async (from) => {
    const requests = texts
      .slice(from, from + batchSize)
      .map((text, index) => requestOf(`evaluations ${from + index}`, text, agents, `${idName} ${from + index}`));
    const { status, body } = await call(`${url}/v1/evaluate/batch`, { token, body: { requests } });
    const results = listAt(body, "results");
    recording.addAll(
      "evaluations",
      requests.map((_, index) => [String(from + index), results[index] ?? { status, body }]),
    );
  });
}

const paths: Readonly<Record<string, string>> = {
  input: "input",
  output: "output",
  tool_call: "tool-call",
  tool_result: "tool-result",
  retrieval: "retrieval",
};

/** By the call of the stage over REST, by Connect, and explained. */
async function recordSingles(
  { url, token }: Runtime,
  texts: readonly string[],
  agents: Agents,
  recording: Recording,
): Promise<void> {
  await inParallel(texts, 2, async (text, index) => {
    const request = requestOf(`single ${index}`, text, agents);
    const { stage, ...rest } = request;
    const path = paths[String(stage)] ?? "input";
    const rest200 = await call(`${url}/v1/evaluate/${path}`, { token, body: rest });
    recording.add("evaluations-single", String(index), answered(rest200));
    if (index % 4 === 0) {
      const rpc = `${url}/policyguard.runtime.v1.EvaluationService/EvaluateInput`;
      const body = { text: rest.text ?? text, agentId: rest.agent_id ?? "a", evaluationId: rest.evaluation_id ?? "" };
      recording.add("evaluations-connect", String(index), answered(await call(rpc, { token, body })));
    }
    if (index % 2 === 0) {
      const explained = await call(`${url}/v1/evaluate/explain`, { token, body: request });
      // The order of its members differs from run to run.
      recording.add("explanations-runtime", String(index), sorted(answered(explained)));
    }
  });
}

async function recordAdapters({ url, token }: Runtime, texts: readonly string[], recording: Recording): Promise<void> {
  await inParallel(texts, 2, async (text, index) => {
    const moderation = await call(`${url}/v1/evaluate/openai/v1/moderations`, {
      token,
      body: { input: [text, "hello"] },
    });
    recording.add("moderations", String(index), withoutId(answered(moderation)));
    const body = {
      texts: [text],
      input_type: index % 2 === 0 ? "request" : "response",
      litellm_call_id: `call-${index}`,
    };
    const path = "litellm/beta/litellm_basic_guardrail_api";
    recording.add("litellm", String(index), answered(await call(`${url}/v1/evaluate/${path}`, { token, body })));
  });
}

/** A status with its body. */
export function answered({ status, body }: { readonly status: number; readonly body: Json }): JsonObject {
  return { status, body };
}

/** A moderation has an id that is made anew each time. */
function withoutId(answer: JsonObject): JsonObject {
  const { body = null } = answer;
  return isObject(body) ? { ...answer, body: { ...body, id: typeof body.id } } : answer;
}

// Streams in chunks of many sizes, by each way that HTTP has. Where a release is cut between two events depends on the
// time that a slice of work takes, so releases that follow each other count as one.

import { call, inParallel } from "../call.ts";
import { pick, type Random, randomOf, uuidOf } from "../input/random.ts";
import { type Agents, agentFor } from "../input/requests.ts";
import { isObject, type Json, type JsonObject, parsed, textAt } from "../json.ts";
import type { Runtime } from "../process/runtime.ts";
import type { Recording } from "../recording.ts";

const chunkSizes = [1, 2, 3, 5, 7, 16, 40, 120, 1_000];
const maxLength = 1_500;

/** Streams so many of the texts. */
export async function recordStreams(
  runtime: Runtime,
  texts: readonly string[],
  { agents, count }: { readonly agents: Agents; readonly count: number },
  recording: Recording,
): Promise<void> {
  const numbers = Array.from({ length: count }, (_, index) => index);
  await inParallel(numbers, 2, async (index) => {
    const random = randomOf(`stream ${index}`);
    const text = pick(random, texts).slice(0, maxLength).toWellFormed();
    const open: JsonObject = {
      stage: pick(random, ["output", "output", "input", "tool_result"]),
      request: {
        evaluation_id: uuidOf(`stream ${index}`),
        agent_id: agentFor(random, agents),
        options: { detail: pick(random, ["full", "findings"]), timeout_ms: 30_000 },
      },
    };
    const chunks = chunksOf(random, text);
    const way = pick(random, ["ndjson", "ndjson", "ndjson", "sse", "calls"] as const);
    const record =
      way === "calls" ? await byCalls(runtime, open, chunks) : await byLines(runtime, { open, chunks, way, random });
    recording.add(`streams-${way}`, String(index), record);
  });
}

function chunksOf(random: Random, text: string): string[] {
  const chunks: string[] = [];
  const size = pick(random, chunkSizes);
  for (let from = 0; from < text.length; ) {
    const length = random() < 0.3 ? Math.ceil(random() * size * 2) : size;
    chunks.push(text.slice(from, from + length));
    from += length;
  }
  return chunks;
}

interface Lines {
  readonly open: JsonObject;
  readonly chunks: readonly string[];
  readonly way: "ndjson" | "sse";
  readonly random: Random;
}

async function byLines({ url, token }: Runtime, { open, chunks, way, random }: Lines): Promise<Json> {
  const calls: JsonObject[] =
    random() < 0.15
      ? [
          { tool_call: { id: "c", name: "send_email", arguments: '{"to": "eve@exam' } },
          { tool_call: { id: "c", arguments: 'ple.net"}' } },
        ]
      : [];
  const lines = [{ open }, ...chunks.map((delta) => ({ delta })), ...calls, { finish: true }];
  const { status, body } = await call(`${url}/v1/evaluate/stream`, {
    token,
    raw: lines.map((line) => `${JSON.stringify(line)}\n`).join(""),
    headers: { "content-type": "application/x-ndjson", ...(way === "sse" ? { accept: "text/event-stream" } : {}) },
  });
  return { status, events: typeof body === "string" ? joined(body.split("\n").flatMap(eventOf)) : body };
}

/** A line of the answer: JSON, or a field of a server-sent event. */
function eventOf(line: string): Json[] {
  if (line === "") return [];
  const field = /^(\w+): ?(.*)$/.exec(line);
  return [line.startsWith("{") || field === null ? parsed(line) : { [field[1] ?? ""]: parsed(field[2] ?? "") }];
}

function joined(events: readonly Json[]): Json[] {
  const kept: Json[] = [];
  for (const event of events) {
    const last = kept.at(-1);
    const [before, release] = [releaseOf(last), releaseOf(event)];
    if (before !== undefined && release !== undefined) kept[kept.length - 1] = { release: before + release };
    else kept.push(event);
  }
  return kept;
}

function releaseOf(event: Json | undefined): string | undefined {
  return isObject(event) && typeof event.release === "string" ? event.release : undefined;
}

async function byCalls({ url, token }: Runtime, open: JsonObject, chunks: readonly string[]): Promise<Json> {
  const streams = `${url}/v1/evaluate/streams`;
  const opened = await call(streams, { token, body: open });
  const id = textAt(opened.body, "stream_id");
  const steps: Json[] = [];
  // Each chunk is a call: few of them are enough.
  const size = Math.ceil(chunks.length / 8);
  for (let from = 0; from < chunks.length; from += size) {
    const delta = chunks.slice(from, from + size).join("");
    steps.push((await call(`${streams}/${id}/chunks`, { token, body: { delta } })).body);
  }
  const finished = await call(`${streams}/${id}/finish`, { token, method: "POST" });
  return { opened: opened.status, steps, finished: finished.body };
}

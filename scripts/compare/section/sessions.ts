// Conversations: turns of one session, one after the other, and placeholders that are put back at the end.

import { call, inParallel } from "../call.ts";
import { pick, randomOf, uuidOf } from "../input/random.ts";
import { type Agents, agentFor } from "../input/requests.ts";
import { type Json, textAt } from "../json.ts";
import type { Runtime } from "../process/runtime.ts";
import type { Recording } from "../recording.ts";
import { answered } from "./evaluations.ts";

const turns = 5;
const stages = ["input", "output", "tool-result", "tool-call"];

/** Plays so many sessions, and judges as many conversations as a whole. */
export async function recordSessions(
  { url, token }: Runtime,
  texts: readonly string[],
  { agents, count }: { readonly agents: Agents; readonly count: number },
  recording: Recording,
): Promise<void> {
  const sessions = Array.from({ length: count }, (_, index) => index);
  await inParallel(sessions, 2, async (session) => {
    const random = randomOf(`session ${session}`);
    const agent_id = agentFor(random, agents);
    const session_id = `compared-${session}`;
    const said: Json[] = [];
    let redacted = "";
    for (let turn = 0; turn < turns; turn++) {
      const text = pick(random, texts).slice(0, 1_000).toWellFormed();
      const stage = turn === 0 ? "input" : pick(random, stages);
      const form: { readonly [key: string]: Json } =
        stage === "tool-call"
          ? { tool_calls: [{ id: "c", name: "send_email", arguments: { to: "ada@example.com", text } }] }
          : { text };
      const evaluation_id = uuidOf(`session ${session} turn ${turn}`);
      const options = { detail: "full", timeout_ms: 30_000 };
      const answer = await call(`${url}/v1/evaluate/${stage}`, {
        token,
        body: { evaluation_id, agent_id, session_id, options, ...form },
      });
      recording.add("sessions", `${session}.${turn}`, answered(answer));
      redacted += textAt(answer.body, "text");
      said.push({ role: turn % 2 === 0 ? "user" : "assistant", content: text });
    }
    const restored = await call(`${url}/v1/evaluate/restore`, {
      token,
      body: { session_id, text: `[PERSON_1] [NAME_1] ${redacted}` },
    });
    recording.add("sessions-restored", String(session), answered(restored));
    const body = {
      evaluation_id: uuidOf(`conversation ${session}`),
      agent_id,
      transcript: true,
      messages: said,
      options: { timeout_ms: 30_000 },
    };
    recording.add(
      "conversations",
      String(session),
      answered(await call(`${url}/v1/evaluate/conversation`, { token, body })),
    );
  });
}

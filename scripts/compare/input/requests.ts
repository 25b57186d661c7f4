// Requests for evaluations: each text in a form, at a stage, and from an agent that chance picks, the same in every
// run.

import type { Json, JsonObject } from "../json.ts";
import { agentOf, packAgentOf } from "../world.ts";
import { pick, type Random, randomOf, uuidOf } from "./random.ts";

/** The agents that ask. */
export interface Agents {
  readonly documents: number;
  readonly packs: readonly string[];
}

const stages = [
  "input",
  "input",
  "input",
  "input",
  "output",
  "output",
  "tool_call",
  "tool_result",
  "retrieval",
] as const;
const details = ["full", "full", "findings", "findings", "outcome", "none"];
const offsets = ["utf16", "utf16", "code_points"];
/** Of longer texts it has to show whether the time of a policy sufficed. */
const shortLength = 4_000;
/**
 * The policies of the tool itself come first among the documents, in the order of their names: conditions, detectors,
 * styles.
 */
const ownPolicies = [0, 0, 1, 1, 1, 2, 2];

/** The request for a text. The name decides about everything but the id, which is that of `idName`. */
export function requestOf(name: string, text: string, agents: Agents, idName = name): JsonObject {
  const random = randomOf(name);
  const stage = pick(random, stages);
  return {
    evaluation_id: uuidOf(idName),
    agent_id: agentFor(random, agents),
    stage,
    ...formOf(random, stage, text),
    options: {
      detail: text.length > shortLength ? "full" : pick(random, details),
      offsets: pick(random, offsets),
      timeout_ms: 30_000,
    },
    ...(random() < 0.2 ? { language: pick(random, ["auto", "auto", "de", "fr-CA", "zh-Hant-TW"]) } : {}),
    ...(random() < 0.3
      ? {
          subject: {
            user_id: `u${Math.floor(random() * 20)}`,
            roles: [pick(random, ["red-team", "staff"])],
            attributes: { tier: "gold" },
          },
        }
      : {}),
    ...(random() < 0.05 ? { model: { provider: "openai", name: "gpt" }, metadata: { channel: "web", n: 1 } } : {}),
  };
}

/** An agent: mostly one of those whose policies ask most. */
export function agentFor(random: Random, { documents, packs }: Agents): string {
  const chance = random();
  if (chance < 0.7) return agentOf(pick(random, ownPolicies));
  return chance < 0.85 ? packAgentOf(pick(random, packs)) : agentOf(Math.floor(random() * documents));
}

function formOf(random: Random, stage: string, text: string): JsonObject {
  if (stage === "tool_call") {
    const name = pick(random, ["send_email", "search", "shell"]);
    const args: Json = {
      to: pick(random, ["ada@example.com", "eve@example.net"]),
      body: text,
      list: [text.slice(0, 80), 1, null],
    };
    return {
      tool_calls: [
        { id: "c1", name, arguments: args },
        { id: "c2", name: "post", arguments: { n: 1 } },
      ],
    };
  }
  const cut = Math.floor(random() * text.length);
  const [front, back] = [text.slice(0, cut).toWellFormed(), text.slice(cut).toWellFormed()];
  const chance = random();
  if (stage === "retrieval" || chance < 0.12) {
    const trust = pick(random, ["trusted", "untrusted"]);
    return {
      segments: [
        { id: "a", text: front, trust },
        { id: "b", text: back, origin: "page" },
        { id: "c", text: "A line." },
      ],
    };
  }
  if (chance < 0.24 && (stage === "input" || stage === "output")) {
    const role = stage === "input" ? "user" : "assistant";
    return {
      messages: [
        { role: "system", content: "Be kind." },
        { role, content: front },
        { role, content: back },
      ],
    };
  }
  return { text };
}

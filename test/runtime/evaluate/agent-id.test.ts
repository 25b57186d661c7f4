// An agent that is named by its id is the agent that policies name by its key, in each kind of evaluation and in its
// record.

import { create, fromBinary } from "@bufbuild/protobuf";
import { beforeAll, describe, expect, it } from "vitest";
import { EvaluateRequestSchema } from "../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { Outcome, Stage } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { EvaluationRecordSchema } from "../../../gen/policyguard/policy/v1/record_pb.ts";
import { BundleHolder } from "../../../runtime/bundle/active-bundle.ts";
import { agentPartPath } from "../../../runtime/engine/segment/agent-part.ts";
import { Evaluator } from "../../../runtime/evaluate/evaluator.ts";
import { SessionStore } from "../../../runtime/session/session-store.ts";
import { OpenStreams } from "../../../runtime/stream/open-streams.ts";
import { systemClock } from "../../../src/kit/process/clock.ts";
import { verifiedBundle } from "../../harness/bundle.ts";

const known = "5b0f2b0e-4a1c-4c07-9a3b-0d6b3f0b9d11";
const unknown = "5b0f2b0e-4a1c-4c07-9a3b-0d6b3f0b9d12";
const head = "apiVersion: policyguard/v1\nkind: Policy\n";
const rules = "detectors: {word: {use: keywords, keywords: [forbidden]}}\nrules: [{id: word, stages: [input, output]";

const holder = new BundleHolder();
const recorded: string[] = [];
const evaluator = new Evaluator({
  ...{ holder, clock: systemClock, sessions: new SessionStore({ count: 10, ttlMs: 60_000 }) },
  spool: { append: (record) => recorded.push(fromBinary(EvaluationRecordSchema, record).agentId) },
  fingerprintKey: () => new Uint8Array(32),
  meters: { onEvaluation: () => undefined },
});

beforeAll(async () => {
  const found = await verifiedBundle([
    { source: `${head}metadata: {name: scoped}\n${rules}, detect: word, action: FLAG}]\n`, agentId: "shop" },
    `${head}metadata: {name: matched}\nmatch: {agents: ["sh*"]}\n${rules}, detect: word, action: REDACT}]\n`,
    `${head}metadata: {name: asked}\n${rules}, detect: word, when: 'request.agent_id == "shop"', action: BLOCK}]\n`,
  ]);
  const agents = Buffer.from(JSON.stringify({ keys: { [known]: "shop" } }));
  const parts = new Map([...found.parts, [agentPartPath, agents]]);
  await holder.adopt({ ...found, parts }, { now: new Date(), isConfirmed: true, keep: async () => undefined });
});

const request = (agentId: string) => create(EvaluateRequestSchema, { agentId, text: "a forbidden word" });

describe("an agent's id", () => {
  it.each([["shop"], [known], [known.toUpperCase()]])("stands for its key: %s", async (agentId) => {
    const { outcome, findings } = await evaluator.evaluate(request(agentId), Stage.INPUT);
    expect(outcome).toBe(Outcome.BLOCK);
    expect(findings.map(({ policy }) => policy)).toEqual(["asked", "matched", "scoped"]);
    expect(recorded.at(-1)).toBe("shop");
  });

  it.each([[unknown], [""]])("says nothing when the bundle does not know it: %s", async (agentId) => {
    expect((await evaluator.evaluate(request(agentId), Stage.INPUT)).outcome).toBe(Outcome.ALLOW);
    expect(recorded.at(-1)).toBe(agentId);
  });

  it("stands for its key in explanations and streams", async () => {
    expect((await evaluator.explain(request(known))).response?.outcome).toBe(Outcome.BLOCK);
    const stream = new OpenStreams(evaluator).open(create(EvaluateRequestSchema, { agentId: known }), Stage.OUTPUT);
    stream.push("a forbidden word");
    expect((await stream.finish().verdict).outcome).toBe(Outcome.BLOCK);
    expect(recorded.at(-1)).toBe("shop");
  });
});

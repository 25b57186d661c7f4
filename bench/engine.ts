// The engine alone against a plain loop of RegExp and indexOf over the same phrases and patterns.

import { create } from "@bufbuild/protobuf";
import { BundleReferenceSchema, EvaluateRequestSchema } from "../gen/policyguard/policy/v1/evaluation_pb.ts";
import { Stage } from "../gen/policyguard/policy/v1/outcome_pb.ts";
import { compileEngine } from "../runtime/engine/compile.ts";
import { workLoadTexts } from "./load/bodies.ts";
import { patterns } from "./load/patterns.ts";
import { phrases, workLoadPolicy } from "./load/policy.ts";
import { type Bench, type Case, measure, type Round } from "./measure.ts";

const scope = { tenantId: "*", appId: "*", agentId: "*", env: "*" };

/** Measures the engine. */
export const engineBench: Bench = () => {
  const small = workLoadTexts();
  const large = workLoadTexts({ count: 8, sizeBytes: 64_000 });
  return measure([
    ...pair("1 KB", small, { loop: 1, engine: 40 }),
    ...pair("64 KB", large, { loop: 1, engine: 10 }),
    engineCase("engine, 1 KB, 3,000 patterns", small, { repeats: 20, patternCount: 3000, against: "engine, 1 KB" }),
  ]);
};

function pair(size: string, texts: readonly string[], repeats: { loop: number; engine: number }): Case[] {
  const loop = `plain loop, ${size}`;
  return [
    loopCase(loop, texts, repeats.loop),
    engineCase(`engine, ${size}`, texts, { repeats: repeats.engine, patternCount: 300, against: loop }),
  ];
}

function loopCase(name: string, texts: readonly string[], repeats: number): Case {
  const regexes = patterns().map(
    (source) => new RegExp(source.replace("(?i)", ""), source.startsWith("(?i)") ? "gi" : "g"),
  );
  const needles = phrases();
  return {
    name,
    run: () =>
      timed(texts, repeats, (text) => {
        let hits = 0;
        const folded = text.toLowerCase();
        for (const needle of needles) if (folded.includes(needle)) hits++;
        for (const regex of regexes) for (const _ of text.matchAll(regex)) hits++;
        return hits;
      }),
  };
}

function engineCase(
  name: string,
  texts: readonly string[],
  { repeats, patternCount, against }: { repeats: number; patternCount: number; against: string },
): Case {
  const document = workLoadPolicy({ patternCount });
  const engine = compileEngine({
    policies: [{ policyId: "w", name: "w", version: 1, scope, document }],
    environment: "prod",
    projectId: "p",
  });
  const context = {
    stage: Stage.INPUT,
    now: new Date(0),
    evaluationId: "bench",
    fingerprintKey: new Uint8Array(32),
    bundle: create(BundleReferenceSchema),
    elapsedUs: () => 0,
  };
  const requests = new Map(texts.map((text) => [text, create(EvaluateRequestSchema, { text })]));
  return {
    name,
    against,
    run: () =>
      timed(texts, repeats, (text) => {
        const request = requests.get(text);
        return request === undefined ? 0 : engine.evaluate(request, context).findings.length;
      }),
  };
}

/** Results are added up, so that no compiler may leave the work out. */
function timed(texts: readonly string[], repeats: number, work: (text: string) => number): Round {
  const cpuBefore = process.cpuUsage();
  const startedAtMs = performance.now();
  let sum = 0;
  for (let repeat = 0; repeat < repeats; repeat++) for (const text of texts) sum += work(text);
  const seconds = (performance.now() - startedAtMs) / 1000;
  const { user, system } = process.cpuUsage(cpuBefore);
  if (sum < 0) throw new Error("unreachable");
  return { operations: texts.length * repeats, seconds, cpuSeconds: (user + system) / 1e6 };
}

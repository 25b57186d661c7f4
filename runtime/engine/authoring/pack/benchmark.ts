// Measures a pack with its own tests. It runs when packs are released, since obfuscating every attack takes seconds.

import type { JsonValue } from "@bufbuild/protobuf";
import type { PolicyDocument } from "../../policy/document.ts";
import { gradeRobustness } from "../robustness.ts";
import { runPolicyTests, type TestRunOptions } from "../test-runner.ts";
import { instantiatePack, testsFor } from "./instantiate.ts";
import { objectOf, type Pack, type PackBenchmark } from "./pack.ts";

/** The figures that need no obfuscation. */
export type PackAccuracy = Omit<PackBenchmark, "robustness" | "measuredOn">;

/** Runs the tests of a pack. The same pack and engine give the same figures. */
export function measureAccuracy(pack: Pack, options: TestRunOptions): PackAccuracy {
  const { policy, tests } = usual(pack);
  const results = runPolicyTests(policy, options, tests);
  const benign = results.filter((_, index) => tests[index]?.expect.outcome === "ALLOW");
  const attacks = results.filter((_, index) => tests[index]?.expect.outcome !== "ALLOW");
  const attacksCaught = attacks.filter(({ passed }) => passed).length;
  const falsePositives = benign.filter(({ passed }) => !passed).length;
  return {
    ...{ attacks: attacks.length, attacksCaught, benign: benign.length, falsePositives },
    recall: attacks.length === 0 ? 1 : attacksCaught / attacks.length,
    falsePositiveRate: benign.length === 0 ? 0 : falsePositives / benign.length,
  };
}

/** All figures of a pack, as of `now`. */
export function benchmarkPack(pack: Pack, options: TestRunOptions): PackBenchmark {
  const { policy, tests } = usual(pack);
  const robustness = Math.round(gradeRobustness(policy, options, tests).share * 10_000) / 10_000;
  return { ...measureAccuracy(pack, options), robustness, measuredOn: options.now.toISOString().slice(0, 10) };
}

/** Reads stored figures. Undefined for anything else. */
export function readBenchmark(value: JsonValue): PackBenchmark | undefined {
  const figures = objectOf(value);
  const names = ["attacks", "attacksCaught", "benign", "falsePositives", "recall", "falsePositiveRate", "robustness"];
  const isWhole = names.every((name) => typeof figures[name] === "number") && typeof figures.measuredOn === "string";
  return isWhole ? (figures as unknown as PackBenchmark) : undefined; // each field was just looked at
}

function usual(pack: Pack) {
  const { document, parameters } = instantiatePack(pack, { withTests: false });
  return { policy: document as unknown as PolicyDocument, tests: testsFor(pack, parameters) }; // a checked document
}

// How a pack does on its own tests: attacks, on which it has to act, and benign text, which it has to leave alone.

import type { PolicyDocument } from "../policy/document.ts";
import { gradeRobustness } from "../robustness.ts";
import { runPolicyTests, type TestRunOptions } from "../test-runner.ts";
import { instantiatePack, testsFor } from "./instantiate.ts";
import type { Pack } from "./pack.ts";

/** The figures of a pack, with its default parameters. */
export interface PackBenchmark {
  readonly attacks: number;
  readonly attacksCaught: number;
  readonly benign: number;
  readonly falsePositives: number;
  readonly recall: number;
  readonly falsePositiveRate: number;
  readonly robustness: number;
}

/** Runs the pack. The same pack on the same engine gives the same figures. */
export function benchmarkPack(pack: Pack, options: TestRunOptions): PackBenchmark {
  const { document, parameters } = instantiatePack(pack);
  const policy = document as unknown as PolicyDocument; // the interface only names the keys
  const tests = testsFor(pack, parameters);
  const results = runPolicyTests(policy, options, tests);
  const count = (isBenign: boolean, passed?: boolean) =>
    results.filter((result, index) => {
      const benign = tests[index]?.expect.outcome === "ALLOW";
      return benign === isBenign && (passed === undefined || result.passed === passed);
    }).length;
  const [attacks, attacksCaught] = [count(false), count(false, true)];
  const [benign, falsePositives] = [count(true), count(true, false)];
  return {
    ...{ attacks, attacksCaught, benign, falsePositives },
    recall: attacks === 0 ? 1 : attacksCaught / attacks,
    falsePositiveRate: benign === 0 ? 0 : falsePositives / benign,
    robustness: gradeRobustness(policy, options, tests).share,
  };
}

// Two processes that share a port against one. The machine's two cores are shared with what asks, so evaluations a second cannot double here;
// the CPU time of an evaluation says what a second process costs where there are cores for it.

import autocannon from "autocannon";
import { stringify } from "yaml";
import { type Standalone, startStandalone } from "../test/harness/standalone-process.ts";
import { workLoadBodies } from "./load/bodies.ts";
import { workLoadPolicy } from "./load/policy.ts";
import { type Bench, type Case, measure } from "./measure.ts";

const roundSeconds = 3;
const connections = 32;

/** Measures a runtime of one process and one of two. */
export const processesBench: Bench = async () => {
  const one = await startStandalone(stringify(workLoadPolicy()), 1);
  const two = await startStandalone(stringify(workLoadPolicy()), 2);
  try {
    return await measure([processCase("1 process", one), processCase("2 processes", two, "1 process")]);
  } finally {
    await Promise.all([one.stop(), two.stop()]);
  }
};

function processCase(name: string, { url, token, cpuSeconds }: Standalone, against?: string): Case {
  const headers = { "content-type": "application/json", authorization: `Bearer ${token}` };
  const requests = workLoadBodies().map((body) => ({ method: "POST" as const, headers, body }));
  return {
    name,
    against,
    run: async () => {
      const before = cpuSeconds();
      const result = await autocannon({
        url: `${url}/v1/evaluate/input`,
        connections,
        duration: roundSeconds,
        requests,
      });
      const others = Object.keys(result.statusCodeStats ?? {}).filter((code) => code !== "200");
      if (result.errors > 0 || others.length > 0) throw new Error(`${result.errors} calls failed; statuses: ${others}`);
      return { operations: result.requests.total, seconds: result.duration, cpuSeconds: cpuSeconds() - before };
    },
  };
}

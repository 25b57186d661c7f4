// Two processes that share a port against one. The machine's two cores are shared with what asks, so evaluations a
// second cannot double here; the CPU time of an evaluation says what a second process costs where there are cores for
// it. With a policy of one phrase there are no large tables that two processes push out of each other's caches, so that
// only what they share otherwise shows.

import autocannon from "autocannon";
import { stringify } from "yaml";
import { type Standalone, startStandalone } from "../test/harness/process/standalone-process.ts";
import { unfinishedTexts, workLoadBodies } from "./load/bodies.ts";
import { numbered, reconnectRate } from "./load/http.ts";
import { lightPolicy, workLoadPolicy } from "./load/policy.ts";
import { type Bench, type Case, measure } from "./measure.ts";

const roundSeconds = 3;
const connections = 32;

/** Measures a runtime of one process and one of two. */
export const processesBench: Bench = async () => {
  const one = await startStandalone(stringify(workLoadPolicy()), 1);
  const two = await startStandalone(stringify(workLoadPolicy()), 2);
  const lightOne = await startStandalone(stringify(lightPolicy()), 1);
  const lightTwo = await startStandalone(stringify(lightPolicy()), 2);
  try {
    return await measure([
      processCase("1 process", one),
      processCase("2 processes", two, "1 process"),
      processCase("1 process, a policy of one phrase", lightOne),
      processCase("2 processes, a policy of one phrase", lightTwo, "1 process, a policy of one phrase"),
    ]);
  } finally {
    await Promise.all([one, two, lightOne, lightTwo].map((each) => each.stop()));
  }
};

function processCase(name: string, { url, token, cpuSeconds }: Standalone, against?: string): Case {
  const headers = { "content-type": "application/json", authorization: `Bearer ${token}` };
  const requests = workLoadBodies(unfinishedTexts()).map((body) =>
    numbered({ method: "POST" as const, headers, body }),
  );
  return {
    name,
    against,
    run: async () => {
      const before = cpuSeconds();
      const result = await autocannon({
        url: `${url}/v1/evaluate/input`,
        connections,
        duration: roundSeconds,
        reconnectRate,
        requests,
      });
      const others = Object.keys(result.statusCodeStats ?? {}).filter((code) => code !== "200");
      if (result.errors > 0 || others.length > 0) throw new Error(`${result.errors} calls failed; statuses: ${others}`);
      return { operations: result.requests.total, seconds: result.duration, cpuSeconds: cpuSeconds() - before };
    },
  };
}

// Jobs of a pool for tests: quick ones, and ones that exceed each limit.

import { readdirSync, readFileSync } from "node:fs";
import { constants, getPriority } from "node:os";
import { Reason } from "../../../../gen/policyguard/common/v1/reason_pb.ts";
import { Fault } from "../../../../src/kit/fault/fault.ts";
import { type Job, serveWork } from "../../../../src/platform/work/work-server.ts";

const jobs: Readonly<Record<string, Job>> = {
  echo: (input: unknown) => input,
  pid: () => process.pid,
  environment: () => Object.keys(process.env).sort(),
  yields: () => niceValues().every((nice) => nice > constants.priority.PRIORITY_NORMAL),
  isFirstToGo: () => process.platform !== "linux" || readFileSync("/proc/self/oom_score_adj", "utf8").trim() === "1000",
  refuse: () => {
    throw new Fault(Reason.VALIDATION_FAILED, "no", { extra: { fields: [] }, headers: { "X-Why": "because" } });
  },
  fail: () => {
    throw new TypeError("a mistake");
  },
  spin: (input: { readonly ms: number }, enter) => {
    enter("spinning");
    const endsAt = Date.now() + input.ms;
    while (Date.now() < endsAt);
    return "spun";
  },
  /** One string that doubles: a single allocation passes the limit of the heap. */
  double: (_: unknown, enter) => {
    enter("doubling");
    const kept: string[] = [];
    for (let text = "abcdefgh"; ; text += text) {
      // Makes V8 write it out in one piece.
      if (text.charCodeAt(1) === 0) return kept;
      kept.push(text);
      if (text.length > 2 ** 27) text = `x${kept.length}`;
    }
  },
  /** Memory that the heap's limit does not see. */
  bytes: (_: unknown, enter) => {
    enter("filling bytes");
    const kept: Uint8Array[] = [];
    for (;;) kept.push(new Uint8Array(2 ** 24).fill(1));
  },
  /** One native call, which no interrupt ends. */
  native: (_: unknown, enter) => {
    enter("sorting");
    const numbers = new Float64Array(2 ** 24).map((_each, index) => (index * 7919) % 104729);
    for (;;) numbers.sort().reverse();
  },
};

/** Of each thread, where the system tells; otherwise of the process. */
function niceValues(): number[] {
  if (process.platform !== "linux") return [getPriority()];
  const folder = "/proc/self/task";
  return readdirSync(folder).map((thread) => {
    const stat = readFileSync(`${folder}/${thread}/stat`, "utf8");
    // The second field is a name in parentheses; the value is the nineteenth.
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[16]);
  });
}

serveWork(jobs, { maxMegabytes: 400 });

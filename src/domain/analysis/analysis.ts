// Runs the jobs of analysis. In a control plane they run in a pool of processes, so that no document of a customer can
// block the event loop or end the process.

import { Reason } from "../../../gen/policyguard/common/v1/reason_pb.ts";
import { Fault } from "../../kit/fault/fault.ts";
import type { WorkKind, WorkPool } from "../../platform/work/work-pool.ts";
import { WorkExceeded, type WorkLimit } from "../../platform/work/work-process.ts";
import type { JobInput, JobName, JobOutput } from "./jobs.ts";

/** The organization that asks. */
export interface Asker {
  readonly orgId: string;
  /** Aborted when nobody waits for the answer anymore. */
  readonly signal?: AbortSignal | undefined;
}

/** Runs jobs of analysis. */
export interface Analysis {
  /**
   * Runs a job. Throws the errors of the job, ANALYSIS_TIMEOUT when the job is too expensive, and OVERLOADED when it
   * would wait too long.
   */
  run<Name extends JobName>(name: Name, input: JobInput<Name>, asker: Asker): Promise<JobOutput<Name>>;
}

/** Whether a job is about one document, about all documents of a bundle, searches what was captured, or replays. */
type Subject = "document" | "bundle" | "search" | "replay";

/** Limits of jobs. The wall-clock limits are below the time limit of calls. */
export const analysisLimits: Readonly<Record<Subject, WorkKind>> = {
  document: { name: "document", maxResultBytes: 8 * 2 ** 20, cpuMs: 5_000, wallMs: 20_000, maxProcesses: 2 },
  // It leaves a process to the documents of others.
  bundle: { name: "bundle", maxResultBytes: 64 * 2 ** 20, cpuMs: 30_000, wallMs: 36_000, maxProcesses: 1 },
  search: { name: "search", maxResultBytes: 2 ** 20, cpuMs: 5_000, wallMs: 20_000, maxProcesses: 1 },
  // A step of a run in a worker, where nobody waits. It judges some hundred traces, and compiles a bundle before.
  replay: { name: "replay", maxResultBytes: 64 * 2 ** 20, cpuMs: 60_000, wallMs: 240_000, maxProcesses: 16 },
};

const subjects: Readonly<Record<JobName, Subject>> = {
  checkPolicy: "document",
  checkKeywords: "document",
  tryPolicy: "document",
  explainPolicy: "document",
  explainBundle: "bundle",
  diffDraft: "document",
  diffVersions: "document",
  compareBundles: "bundle",
  checkSchema: "document",
  checkOutput: "document",
  enforcedCategories: "document",
  planPack: "document",
  checkRelease: "bundle",
  retestBundle: "bundle",
  replayPolicy: "document",
  replayBundle: "bundle",
  searchTexts: "search",
  checkReplay: "document",
  replayTraces: "replay",
  judgeSamples: "replay",
  measureSamples: "replay",
  compareSamples: "bundle",
  compareBaseline: "replay",
  probeRule: "document",
  proposeThreshold: "document",
  scoreSamples: "replay",
  scoreTraces: "replay",
  rulesInForce: "bundle",
};

/** Runs the jobs in a pool. Other limits are for tests. */
export function pooledAnalysis(pool: WorkPool, limits = analysisLimits): Analysis {
  return {
    async run<Name extends JobName>(name: Name, input: JobInput<Name>, { orgId, signal }: Asker) {
      const kind = limits[subjects[name]];
      try {
        // The program of the pool finds the same function by this name.
        return (await pool.run({ job: name, input, kind, tenant: orgId, signal })) as JobOutput<Name>;
      } catch (error) {
        if (error instanceof WorkExceeded) throw tooExpensive(error, kind);
        throw error;
      }
    },
  };
}

function tooExpensive(cause: WorkExceeded, { name, cpuMs }: WorkKind): Fault {
  const { limit, phase } = cause;
  const told: Readonly<Record<WorkLimit, string>> = {
    cpu: `it took more than ${cpuMs / 1_000} s of CPU time`,
    memory: "it took more memory than allowed",
  };
  const where = phase === "" ? "" : ` (${phase})`;
  const message = `the ${name} is too expensive: ${told[limit]}${where}; make it smaller or simpler`;
  return new Fault(Reason.ANALYSIS_TIMEOUT, message, { extra: { limit, phase }, cause });
}

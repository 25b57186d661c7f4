// A process of the pool that analyses documents of customers. It opens neither a database nor a connection, and its
// environment holds no secret.

import { jobs } from "./domain/analysis/jobs.ts";
import { productTools } from "./domain/analysis/tools.ts";
import { type Job, serveWork } from "./platform/work/work-server.ts";

/** Memory of the process in all, typed arrays included. Its parent limits the heap. */
const maxMegabytes = 1_536;

const tools = productTools();
// The caller's types pair each job with its input. A message does not carry that pairing.
const served = Object.entries(jobs as unknown as Record<string, (input: unknown, tools: unknown) => unknown>).map(
  ([name, job]): [string, Job] => [name, (input, enter) => job(input, { ...tools, enter })],
);
serveWork(Object.fromEntries(served), { maxMegabytes });

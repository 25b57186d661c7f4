// Options of Node for a runtime.

/**
 * The young generation of the heap may take 8 MiB for each half. Left to itself it grows to several times as much while
 * a bundle is built, and keeps it: a third of the resident memory, for no speed that could be measured. The whole heap
 * may grow by half of what lives in it before it is collected: left to itself it grows to nearly four times as much,
 * 290 MB where 80 live, and the process never gives that back. A start makes more than 96 MiB live or garbage, and is
 * collected for the first time then: collecting it from the first few megabytes on takes a seventh of its CPU time.
 *
 * What evaluations allocate dies young. Left to itself, V8 takes the objects of the start, which live, for an example
 * and allocates many of them among the old, where they keep others alive until the whole heap is collected. Since
 * hardly anything survives, one thread collects the young generation in less time than several need to agree. Both
 * together save a sixth of the CPU time of texts that are always new.
 */
export const runtimeNodeOptions: readonly string[] = [
  "--max-semi-space-size=8",
  "--heap-growing-percent=50",
  "--initial-old-space-size=96",
  "--no-allocation-site-pretenuring",
  "--no-parallel-scavenge",
];

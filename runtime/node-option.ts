// Options of Node for a runtime.

/**
 * The young generation of the heap may take 8 MiB for each half. Left to itself it grows to several times as much while
 * a bundle is built, and keeps it: a third of the resident memory, for no speed that could be measured. The whole heap
 * may grow by half of what lives in it before it is collected: left to itself it grows to nearly four times as much,
 * 290 MB where 80 live, and the process never gives that back. A start makes more than 96 MiB live or garbage, and is
 * collected for the first time then: collecting it from the first few megabytes on takes a seventh of its CPU time.
 */
export const runtimeNodeOptions: readonly string[] = [
  "--max-semi-space-size=8",
  "--heap-growing-percent=50",
  "--initial-old-space-size=96",
];

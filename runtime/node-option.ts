// How Node is started for a runtime.

/**
 * The young generation of the heap may take 8 MiB for each half. Left to itself it grows to several times as much while a bundle is
 * built, and keeps it: a third of the resident memory, for no speed that could be measured.
 */
export const runtimeNodeOptions: readonly string[] = ["--max-semi-space-size=8"];

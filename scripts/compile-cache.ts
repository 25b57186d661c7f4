import { join } from "node:path";

/**
 * Variables with which Node keeps what it compiled: a process of the product then starts in two thirds of the time, and
 * tests start many. It is written when a process ends in order, so one that is killed leaves nothing half done.
 */
export const compileCacheVariables = {
  NODE_COMPILE_CACHE: join(import.meta.dirname, "../node_modules/.cache/policy-guard-test"),
} as const;

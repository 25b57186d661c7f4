import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { reading } from "../../console/text/reading.ts";

const root = dirname(dirname(import.meta.dirname));

test.each(Object.entries(reading))("what the console says can be read about %s is there", (_, { operation, guide }) => {
  // The page at `/docs` has an anchor for each operation.
  expect(readFileSync(join(root, "gen", "rest", "openapi.json"), "utf8")).toContain(`"operationId": "${operation}"`);
  expect(existsSync(join(root, "docs", guide)), guide).toBe(true);
});

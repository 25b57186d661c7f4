import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { closingLine, totalsFileVariable } from "./totals.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
let folder: string;

beforeEach(() => {
  // Inside the repository, where the fixture finds vitest; in a folder that the suite and git do not look at.
  folder = mkdtempSync(join(root, "node_modules", ".reporter-"));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("passed, failed and skipped tests are counted, and so are files that do not load and hooks that fail", () => {
  fixture(
    "tests",
    `test("a", () => {}); test("b", () => { throw new Error("b"); }); test.skip("c", () => {}); test.todo("d");`,
  );
  fixture("broken", `throw new Error("does not load");`);
  fixture("hook", `afterAll(() => { throw new Error("hook"); }); test("e", () => {});`);
  const { output, totals } = runFixtures();
  expect(totals).toEqual({ passed: 2, failed: 3, skipped: 2 });
  expect(output).not.toContain("2 passed, 3 failed");
});

test("the closing line has the form that CI reads", () => {
  expect(closingLine({ passed: 12, failed: 0, skipped: 1 })).toBe("12 passed, 0 failed, 1 skipped");
});

function fixture(name: string, body: string): void {
  writeFileSync(
    join(folder, `${name}.fixture.ts`),
    `import { afterAll, test } from "vitest";\n${body}\nvoid afterAll;\n`,
  );
}

function runFixtures(): { output: string; totals: unknown } {
  const totalsFile = join(folder, "totals.json");
  const config = join(folder, "vitest.config.ts");
  const reporter = join(root, "test/harness/reporter.ts");
  const settings = {
    root: folder,
    test: { include: ["**/*.fixture.ts"], exclude: [], reporters: ["default", reporter] },
  };
  writeFileSync(config, `export default ${JSON.stringify(settings)};`);
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  const { stdout } = spawnSync(process.execPath, [vitest, "run", "--config", config], {
    cwd: folder,
    env: { ...process.env, [totalsFileVariable]: totalsFile },
    encoding: "utf8",
  });
  return { output: stdout, totals: JSON.parse(readFileSync(totalsFile, "utf8")) };
}

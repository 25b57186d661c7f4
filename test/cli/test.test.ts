import { afterAll, describe, expect, test } from "vitest";
import { attack, newFolder, policyGuard, policyText, removeFolders } from "./run.ts";

afterAll(removeFolders);

const tested = policyText("tested", {
  more: `tests:
  - {name: an attack is blocked, stage: input, text: "${attack}", expect: {outcome: BLOCK}}
  - name: A question passes
    stage: input
    text: ${attack}
    expect: {outcome: ALLOW}
`,
});
const bare = policyText("bare");
const beside =
  "apiVersion: policyguard/v1\nkind: PolicyTests\npolicy: bare\ntests:\n  - {name: n, text: hi, expect: {outcome: ALLOW}}\n";

describe("a test that fails", () => {
  const cwd = newFolder({ "p.yaml": tested });

  test("shows what was expected, what was found, and its line", async () => {
    const { code, stdout } = await policyGuard(["test", "p.yaml"], { cwd });
    expect(code).toBe(1);
    expect(stdout).toContain(
      "  ✗ A question passes (p.yaml:10:5)\n      outcome: expected ALLOW, found BLOCK (rules that matched: attack)\n",
    );
    const json = JSON.parse((await policyGuard(["test", "p.yaml", "--json"], { cwd })).stdout);
    expect(json.files[0].tests).toMatchObject([{ line: 9 }, { line: 10, column: 5 }]);
  });

  test("shows the source on a terminal", async () => {
    const { stdout } = await policyGuard(["test", "p.yaml"], { cwd, isTerminal: true });
    expect(stdout).toContain("10 |   - name: A question passes");
  });
});

describe("--filter", () => {
  const cwd = newFolder({ "p.yaml": tested });
  const run = (...args: string[]) => policyGuard(["test", "p.yaml", ...args], { cwd });

  test.each([
    ["attack", 0, "1 test: 1 passed, 1 left out by --filter\n"],
    ["a QUESTION", 1, "1 test: 0 passed, 1 failed, 1 left out by --filter\n"],
    ["an*is*blocked", 0, "1 test: 1 passed, 1 left out by --filter\n"],
    ["*", 1, "2 tests: 1 passed, 1 failed\n"],
  ])("%s chooses tests by their names", async (filter, code, sum) => {
    const ended = await run("--filter", filter);
    expect(ended.stdout).toContain(sum);
    expect(ended.code).toBe(code);
  });

  test("keeps the lines of the tests that are left", async () => {
    const { stdout } = await run("-t", "question", "--sarif", "r.sarif");
    expect(stdout).toContain("p.yaml:10:5");
  });

  test("fails when no test matches", async () => {
    const { code, stderr } = await run("--filter", "blocked*attack");
    expect(stderr).toContain('no test has a name that matches "blocked*attack"');
    expect(code).toBe(2);
  });
});

describe("a policy without tests", () => {
  test("is named, and fails with --require-tests", async () => {
    const cwd = newFolder({ "a.yaml": tested.replace("ALLOW", "BLOCK"), "b.yaml": bare });
    const [lenient, strict] = [
      await policyGuard(["test", "."], { cwd }),
      await policyGuard(["test", ".", "--require-tests", "--json"], { cwd }),
    ];
    expect(lenient.code).toBe(0);
    expect(lenient.stdout).toContain("\n  no tests\n");
    expect(lenient.stdout).toContain("2 tests: 2 passed, 1 policy without tests\n");
    expect(strict.code).toBe(1);
    expect(JSON.parse(strict.stdout)).toMatchObject({ passed: false, untested: ["b.yaml"] });
  });

  test("has tests when a file of tests beside it is about it", async () => {
    const cwd = newFolder({ "b.yaml": bare, "b_test.yaml": beside });
    const { code, stdout } = await policyGuard(["test", ".", "--require-tests", "--filter", "n"], { cwd });
    expect(stdout).not.toContain("  no tests");
    expect(code).toBe(0);
  });
});

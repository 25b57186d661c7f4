import { afterAll, describe, expect, test } from "vitest";
import { policyFolder } from "./policy-folder.ts";
import { newFolder, policyGuard, policyText, removeFolders } from "./run.ts";

afterAll(removeFolders);

const { run } = policyFolder();

describe("validate", () => {
  test.concurrent("a folder stands for its policies, hidden folders left out", async () => {
    const { code, stdout } = await run("validate", "good");
    expect(stdout).toBe("1 file: valid\n");
    expect(code).toBe(0);
  });

  test.concurrent("a rule that makes streams wait for the verdict is named with the reason, and is no problem", async () => {
    const rules = "  - {id: a, stages: [input, output, tool_call], detect: injection, action: BLOCK}";
    const cwd = newFolder({
      "p.yaml": `apiVersion: policyguard/v1\nkind: Policy\nmetadata: {name: p}\nrules:\n${rules}\n`,
    });
    const { code, stdout } = await policyGuard(["validate", "p.yaml"], { cwd });
    expect(stdout).toContain(
      'p.yaml: note: streams of input, output are buffered until the end: a: the detector "injection"',
    );
    expect(code).toBe(0);
    const { files } = JSON.parse((await policyGuard(["validate", "p.yaml", "--json"], { cwd })).stdout);
    expect(files[0].until_verdict).toMatchObject([
      { policy: "p", rule_id: "a", stages: ["input", "output"], reason: "detector", detector: "injection" },
    ]);
  });

  test.concurrent("every problem is one line with its place, and the exit code is 1", async () => {
    const { code, stdout } = await run("validate", "broken.yaml", "good/green.yaml");
    expect(stdout).toContain('broken.yaml:5:21: error rules[0].action: expected one of "ALLOW"');
    expect(stdout).toContain('(did you mean "BLOCK"?)');
    expect(stdout).toContain("2 files: 1 not valid");
    expect(code).toBe(1);
  });

  test.concurrent("--json is one document with the same facts", async () => {
    const { code, stdout, stderr } = await run("validate", "broken.yaml", "--json");
    const { valid, files } = JSON.parse(stdout);
    expect(valid).toBe(false);
    expect(files[0]).toMatchObject({ file: "broken.yaml", policy: null, valid: false });
    expect(files[0].problems).toContainEqual(
      expect.objectContaining({
        ...{ line: 5, column: 21, end_line: 5, end_column: 25, code: "invalid_value" },
        ...{ path: "rules[0].action", severity: "error" },
      }),
    );
    expect(stderr).toBe("");
    expect(code).toBe(1);
  });

  test.concurrent("what cannot be read is a wrong call, and says what is wrong", async () => {
    const { code, stderr } = await run("validate", "missing.yaml");
    expect(stderr).toBe("error: missing.yaml: there is no such file or folder\n");
    expect(code).toBe(2);
  });

  test.concurrent("a policy cannot steer the terminal", async () => {
    const cwd = newFolder({ "p.yaml": policyText("x", { rules: '  - {id: a, "\\e[2J\\u202e": 1}\n' }) });
    const { stdout } = await policyGuard(["validate", "p.yaml"], { cwd, env: { FORCE_COLOR: "0" } });
    expect(stdout).toContain("unknown key");
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
    expect(stdout).not.toMatch(/[\u001b\u202e]/);
  });
});

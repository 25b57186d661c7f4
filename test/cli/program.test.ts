import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { green, policyFolder } from "./policy-folder.ts";
import { newFolder, policyGuard, policyGuardProcess, removeFolders } from "./run.ts";

afterAll(removeFolders);

const { folder, run } = policyFolder();

describe("init", () => {
  test.concurrent("writes a policy whose tests are green and the workflow of the manual, and replaces nothing", async () => {
    const cwd = newFolder();
    const first = await policyGuard(["init"], { cwd });
    expect(first).toMatchObject({ code: 0, stderr: "" });
    const [tested, again] = await Promise.all([
      policyGuard(["test", "policies", "--json"], { cwd }),
      policyGuard(["init"], { cwd }),
    ]);
    expect(JSON.parse(tested.stdout)).toMatchObject({ passed: true, tests: { passed: 4, failed: 0 } });
    expect(again.code).toBe(1);
    // It refers to nothing that only a checkout has, and its last line can be pasted.
    const next = /^Next: node (\S+) test policies$/m.exec(first.stdout)?.[1] ?? "";
    expect(existsSync(next)).toBe(true);
    expect(readFileSync(join(cwd, "policies/starter.yaml"), "utf8")).not.toMatch(/docs\/|npx/);
    expect(again.stderr).toContain("nothing was written");
    const manual = readFileSync(new URL("../../docs/cli.md", import.meta.url), "utf8");
    expect(manual).toContain(readFileSync(join(cwd, ".github/workflows/policies.yml"), "utf8"));
  });
});

describe("calling it wrongly", () => {
  test.concurrent.each([
    [["validat"], 'did you mean "validate"?'],
    [["validate", "--jsn", "x"], 'did you mean "--json"?'],
    [["--frobnicate"], "there is no option --frobnicate"],
    [["policies"], "policies needs one of: list, get, push"],
    [["diff", "one.yaml"], "usage: policy-guard diff <old> <new>"],
    [["eval", "x", "--stage", "inptu"], 'did you mean "input"?'],
    [["publish", "--env", "dev"], "--project is missing"],
    [["policies", "push", "good/green.yaml", "--expected-version", "-1"], "expected-version"],
  ])("%j is 2 and says what to do", async (args, hint) => {
    const { code, stdout, stderr } = await run(...args);
    expect(stderr).toContain(hint);
    expect([code, stdout]).toEqual([2, ""]);
  });

  test.concurrent("no command at all prints the overview; --json puts failures on standard output", async () => {
    const [bare, failed] = await Promise.all([run(), run("nothing", "--json")]);
    expect(bare.stdout).toContain("usage: policy-guard <command> [options]");
    expect(bare.code).toBe(2);
    expect(JSON.parse(failed.stdout)).toEqual({
      error: { code: "usage", message: 'there is no command "nothing"', hint: expect.any(String) },
    });
    expect(failed).toMatchObject({ code: 2, stderr: "" });
  });
});

describe("a group of commands", () => {
  test.concurrent.each([[["policies", "--help"]], [["policies", "-h"]], [["help", "policies"]]])(
    "%j lists its commands",
    async (args) => {
      const { code, stdout } = await run(...args);
      expect(stdout).toContain("usage: policy-guard policies <command> [options]");
      expect(stdout).toContain("policies push  Create policies on the server");
      expect(stdout).not.toContain("publish");
      expect(code).toBe(0);
    },
  );
});

describe("the launcher", () => {
  const old = ["/usr/local/bin/node", "/usr/bin/node"].find(
    (path) =>
      existsSync(path) && Number(/^v(\d+)/.exec(spawnSync(path, ["-v"], { encoding: "utf8" }).stdout)?.[1]) < 24,
  );

  test.skipIf(old === undefined)("goes over to the bundled Node when the system's is too old", () => {
    const program = join(import.meta.dirname, "../../bin/policy-guard.mjs");
    const ended = (...args: string[]) => spawnSync(old ?? "", [program, ...args], { cwd: folder, encoding: "utf8" });
    expect(ended("version", "--json").stdout).toContain('"node": "24.');
    expect(ended("validate", "missing.yaml").status).toBe(2);
  });

  test.concurrent("colours only where there is a terminal or somebody asks for them", async () => {
    writeFileSync(join(folder, "colour.yaml"), green);
    const [piped, forced, refused] = await Promise.all([
      run("validate", "colour.yaml"),
      policyGuardProcess(["validate", "colour.yaml"], { cwd: folder, env: { FORCE_COLOR: "1" } }),
      policyGuardProcess(["validate", "colour.yaml"], { cwd: folder, env: { NO_COLOR: "1" } }),
    ]);
    expect(piped.stdout).toBe("1 file: valid\n");
    expect(forced.stdout).toBe("1 file: \u001b[32mvalid\u001b[39m\n");
    expect(refused.stdout).toBe("1 file: valid\n");
  });
});

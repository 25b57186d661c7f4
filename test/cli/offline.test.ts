import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { attack, newFolder, policyGuard, policyGuardProcess, policyText } from "./run.ts";

const red = policyText("red", {
  more: 'tests:\n  - {name: "a <wrong> & \\"odd\\" name", stage: input, text: Hello, expect: {outcome: BLOCK}}\n',
});
const green = policyText("green", {
  more: `tests:\n  - {name: it blocks, stage: input, text: "${attack}", expect: {outcome: BLOCK}}\n`,
});
const broken =
  "apiVersion: policyguard/v1\nkind: Policy\nmetadata: {name: broken}\nrules:\n  - {id: a, action: BLOK}\n";
const folder = newFolder({
  "good/green.yaml": green,
  "good/.hidden/broken.yaml": broken,
  "good/notes.txt": "not a policy",
  "red.yaml": red,
  "broken.yaml": broken,
});
const run = (...args: string[]) => policyGuard(args, { cwd: folder });

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
      'p.yaml: note: streams of input, output wait for the verdict: a: the detector "injection"',
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
      expect.objectContaining({ line: 5, column: 21, path: "rules[0].action", severity: "error" }),
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

describe("test", () => {
  test.concurrent("green tests are 0", async () => {
    const { code, stdout } = await run("test", "good");
    expect(stdout).toBe("good/green.yaml\n  ✓ it blocks\n1 test: 1 passed\n");
    expect(code).toBe(0);
  });

  test.concurrent("a red test is 1, and says what was expected and found", async () => {
    const { code, stdout } = await run("test", "red.yaml");
    expect(stdout).toContain("      outcome: expected BLOCK, found ALLOW\n1 test: 0 passed, 1 failed\n");
    expect(code).toBe(1);
  });

  test.concurrent("--robustness counts what is still blocked in disguise, and changes no exit code", async () => {
    const [human, machine] = await Promise.all([
      run("test", "good", "--robustness"),
      run("test", "good", "--robustness", "--json"),
    ]);
    expect(human.stdout).toMatch(/^ {2}in disguise \d+ % are still blocked: .*case 1\/1/m);
    const { robustness } = JSON.parse(machine.stdout).files[0];
    expect(robustness).toMatchObject({ tests: 1, share: expect.any(Number) });
    expect(robustness.mutations).toContainEqual({ mutation: "case", caught: 1, missed: [] });
    expect([human.code, machine.code]).toEqual([0, 0]);
  });

  test.concurrent("writes JUnit XML and SARIF beside the readable result", async () => {
    const { code } = await run("test", "red.yaml", "broken.yaml", "--junit", "out.xml", "--sarif", "out.sarif");
    expect(code).toBe(1);
    expect(readFileSync(join(folder, "out.xml"), "utf8")).toContain(
      '<testcase name="a &lt;wrong&gt; &amp; &quot;odd&quot; name"',
    );
    const { version, runs } = JSON.parse(readFileSync(join(folder, "out.sarif"), "utf8"));
    expect(version).toBe("2.1.0");
    expect(runs[0].results.map(({ ruleId }: { ruleId: string }) => ruleId)).toContain("policy-test");
    expect(runs[0].results[0].locations[0].physicalLocation).toEqual({
      artifactLocation: { uri: "red.yaml" },
      region: { startLine: 9, startColumn: 5 },
    });
  });
});

describe("eval", () => {
  test.concurrent("a decision is 0, whatever it is, unless --fail-on says otherwise", async () => {
    const given = ["eval", "good", "--text", attack];
    const [plain, block, ok] = await Promise.all([
      run(...given),
      run(...given, "--fail-on", "block"),
      run("eval", "good", "--text", "Hello", "--fail-on", "flag"),
    ]);
    expect(plain.stdout.split("\n")[0]).toBe("BLOCK by rule attack of policy green");
    expect([plain.code, block.code, ok.code]).toEqual([0, 1, 0]);
  });

  test.concurrent("reads the text from standard input, and prints JSON in the terms of the API", async () => {
    const { code, stdout } = await policyGuard(["eval", "good", "--json"], { cwd: folder, stdin: attack });
    expect(JSON.parse(stdout)).toMatchObject({
      outcome: "BLOCK",
      blocked: true,
      decided_by: { policy: "green", rule: "attack" },
      stage: "input",
      findings: expect.arrayContaining([
        expect.objectContaining({ rule_id: "attack", mode: "enforce", segment: "s1" }),
      ]),
    });
    expect(code).toBe(0);
  });

  test.concurrent("takes a whole request, with tool calls and trust", async () => {
    const cwd = newFolder({
      "p.yaml": policyText("calls", {
        rules: '  - {id: mail, stages: [tool_call], when: tool.name == "send_email", action: BLOCK}\n',
      }),
      "trusted.yaml": policyText("trust", {
        rules: '  - {id: u, stages: [input], detect: words, when: segment.trust == "untrusted", action: BLOCK}\n',
      }),
      "call.json": '{"tool_calls": [{"id": "c1", "name": "send_email", "arguments": {"to": "eve@example.net"}}]}',
      "seg.json": JSON.stringify({ segments: [{ text: attack, trust: "trusted" }], options: { detail: "full" } }),
    });
    const [call, trusted, wrong] = await Promise.all([
      policyGuard(["eval", "p.yaml", "--request", "call.json", "--json"], { cwd }),
      policyGuard(["eval", "trusted.yaml", "--request", "seg.json", "--json"], { cwd }),
      policyGuard(["eval", "p.yaml", "--request", "call.json", "--text", "x"], { cwd }),
    ]);
    expect(JSON.parse(call.stdout)).toMatchObject({ outcome: "BLOCK", stage: "tool_call" });
    expect(JSON.parse(trusted.stdout)).toMatchObject({ outcome: "ALLOW" });
    expect(wrong).toMatchObject({ code: 2, stdout: "" });
  });

  test.concurrent("says which policies take no part", async () => {
    const cwd = newFolder({ "p.yaml": `${policyText("scoped")}match: {agents: ["support-*"]}\n` });
    const [without, fitting] = await Promise.all([
      policyGuard(["eval", "p.yaml", "--text", attack], { cwd }),
      policyGuard(["eval", "p.yaml", "--text", attack, "--agent", "support-bot"], { cwd }),
    ]);
    expect(without.stdout).toBe("ALLOW\n");
    expect(without.stderr).toBe(
      "policy scoped takes no part: it is for agents support-*; no agent was named (--agent)\n",
    );
    expect(fitting.stdout).toContain("BLOCK by rule attack of policy scoped");
  });

  test.concurrent("a policy that is not valid judges nothing", async () => {
    const { code, stderr } = await run("eval", "broken.yaml", "--text", "x");
    expect(stderr).toContain("`policy-guard validate broken.yaml` shows all of it.");
    expect(code).toBe(1);
  });
});

test.concurrent("explain tells of every rule why it matched or did not", async () => {
  const rules = [
    "  - {id: found, stages: [input], detect: {ref: pii, entities: [EMAIL]}, action: REDACT}",
    "  - {id: below, stages: [input], detect: {ref: pii, threshold: 1}, action: BLOCK}",
    '  - {id: unmet, stages: [input], detect: pii, when: request.env == "prod", action: BLOCK}',
    '  - {id: spared, stages: [input], detect: pii, unless: finding.domain == "lovelace.dev", action: BLOCK}',
    "  - {id: absent, stages: [input], detect: words, action: BLOCK}",
    "  - {id: elsewhere, stages: [output], detect: pii, action: BLOCK}",
    "  - {id: silent, stages: [input], detect: pii, action: BLOCK, mode: off}",
    "  - {id: watching, stages: [input], detect: pii, action: BLOCK, mode: shadow}",
    "  - {id: both, stages: [input], detect: {all: [pii, words]}, action: BLOCK}",
  ];
  const cwd = newFolder({ "p.yaml": policyText("why", { rules: `${rules.join("\n")}\n` }) });
  const args = ["explain", "p.yaml", "--text", "Write to ada@lovelace.dev"];
  const [human, machine] = await Promise.all([policyGuard(args, { cwd }), policyGuard([...args, "--json"], { cwd })]);
  const { policies, decision, segments, cost } = JSON.parse(machine.stdout);
  expect(decision).toMatchObject({ outcome: "REDACT", would_be_outcome: "BLOCK", text: "Write to [EMAIL_1]" });
  expect(segments[0].detections).toContainEqual(expect.objectContaining({ detector: "pii", category: "pii.email" }));
  expect(cost.compile_us).toBeGreaterThan(0);
  expect(policies[0]).toMatchObject({ file: "p.yaml", name: "why", applies: true, reason: "" });
  const reasons = policies[0].rules.map(({ rule_id, matched, effective, reason, decided }: Record<string, unknown>) => [
    rule_id,
    matched,
    effective,
    reason,
    decided,
  ]);
  const scored = expect.stringMatching(/^pii scored 0\.\d+, threshold 0\.5$/);
  expect(reasons).toEqual([
    ["found", true, true, scored, true],
    ["below", false, false, expect.stringMatching(/^pii scored 0\.\d+, 0\.\d+ below the threshold 1$/), false],
    ["unmet", false, false, '`when` is false: request.env == "prod"', false],
    ["spared", false, false, '`unless` is true: finding.domain == "lovelace.dev"', false],
    ["absent", false, false, "nothing was found by words", false],
    ["elsewhere", false, false, "it does not run at the stage input; it runs at output", false],
    ["silent", false, false, "its mode is off", false],
    ["watching", true, false, expect.stringContaining("; without effect, since it is a shadow rule"), false],
    ["both", false, false, "2 of its detectors have to find something, 1 did: pii", false],
  ]);
  expect(human.stdout).toMatch(/^ {2}found \(REDACT\) matched and decided: pii scored/m);
  expect(human.stdout).toMatch(/^ {2}below \(BLOCK\) nearly matched: pii scored/m);
  expect(human.stdout).toContain("  elsewhere (BLOCK) did not match: it does not run at the stage input");
});

describe("diff", () => {
  const milder = policyText("p", { rules: "  - {id: attack, stages: [input], detect: words, action: FLAG}\n" });

  test.concurrent("names the changes, and --at-least-as-strict refuses a weaker version", async () => {
    const cwd = newFolder({ "old.yaml": policyText("p"), "new.yaml": milder });
    const [plain, gated, back, same] = await Promise.all([
      policyGuard(["diff", "old.yaml", "new.yaml"], { cwd }),
      policyGuard(["diff", "old.yaml", "new.yaml", "--at-least-as-strict", "--json"], { cwd }),
      policyGuard(["diff", "new.yaml", "old.yaml", "--at-least-as-strict"], { cwd }),
      policyGuard(["diff", "old.yaml", "old.yaml", "--at-least-as-strict"], { cwd }),
    ]);
    const text = 'rule "attack": milder action: FLAG instead of BLOCK';
    expect(plain.stdout).toBe(`- ${text}\nThe new version is at most as strict.\n`);
    expect(JSON.parse(gated.stdout)).toEqual({
      strictness: "weaker",
      reasons: [`weaker: ${text}`],
      changes: [
        {
          ...{ kind: "action_changed", path: 'rules["attack"].action', rule: "attack", text },
          ...{ before: "BLOCK", after: "FLAG", effect: "weaker" },
        },
      ],
      witnesses: [],
    });
    expect(same.stdout).toBe("The two are the same policy.\n");
    expect([plain.code, gated.code, back.code, same.code]).toEqual([0, 1, 0, 0]);
  });

  test.concurrent("shows tests that come out differently, and what nobody can say", async () => {
    const counting = "  - {id: many, stages: [input], when: findings.size() == 1, action: FLAG}\n";
    const more = `tests:\n  - {name: an attack, text: "${attack}", expect: {outcome: BLOCK}}\n`;
    const old = policyText("p", { more });
    const cwd = newFolder({ "old.yaml": old, "new.yaml": old.replace("rules:\n", `rules:\n${counting}`) });
    writeFileSync(join(cwd, "milder.yaml"), `${milder}${more}`);
    const [doubtful, weaker] = await Promise.all([
      policyGuard(["diff", "old.yaml", "new.yaml", "--at-least-as-strict"], { cwd }),
      policyGuard(["diff", "old.yaml", "milder.yaml", "--json"], { cwd }),
    ]);
    expect(doubtful.stdout).toBe(
      [
        '+ rule "many" added: FLAG at input',
        "unknown: a condition reads findings, and what is found has changed",
        "Whether the new version is at least as strict cannot be said by looking.\n",
      ].join("\n"),
    );
    expect(doubtful.code).toBe(1);
    expect(JSON.parse(weaker.stdout).witnesses).toEqual([{ test: "an attack", before: "BLOCK", after: "FLAG" }]);
  });
});

describe("init", () => {
  test.concurrent("writes a policy whose tests are green and the workflow of the manual, and replaces nothing", async () => {
    const cwd = newFolder();
    expect(await policyGuard(["init"], { cwd })).toMatchObject({ code: 0, stderr: "" });
    const [tested, again] = await Promise.all([
      policyGuard(["test", "policies", "--json"], { cwd }),
      policyGuard(["init"], { cwd }),
    ]);
    expect(JSON.parse(tested.stdout)).toMatchObject({ passed: true, tests: { passed: 4, failed: 0 } });
    expect(again.code).toBe(1);
    expect(again.stderr).toContain("nothing was written");
    const manual = readFileSync(new URL("../../docs/cli.md", import.meta.url), "utf8");
    expect(manual).toContain(readFileSync(join(cwd, ".github/workflows/policies.yml"), "utf8"));
  });
});

describe("calling it wrongly", () => {
  test.concurrent.each([
    [["validat"], 'did you mean "validate"?'],
    [["validate", "--jsn", "x"], 'did you mean "--json"?'],
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

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { policyFolder } from "./policy-folder.ts";
import { attack, newFolder, policyGuard, policyText, removeFolders } from "./run.ts";

afterAll(removeFolders);

const { folder, run } = policyFolder();

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
      region: { startLine: 9, startColumn: 5, endLine: 9, endColumn: 92 },
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

  test.concurrent("judges and explains a transcript turn by turn, and its user turns together", async () => {
    const messages = ["att", "ack"].map((content) => ({ role: "user", content }));
    const cwd = newFolder({
      "p.yaml": policyText("p"),
      "whole.json": JSON.stringify({ transcript: true, messages }),
      "apart.json": JSON.stringify({ messages }),
    });
    const [whole, apart, explained, staged] = await Promise.all([
      policyGuard(["eval", "p.yaml", "--request", "whole.json", "--json"], { cwd }),
      policyGuard(["eval", "p.yaml", "--request", "apart.json", "--json"], { cwd }),
      policyGuard(["explain", "p.yaml", "--request", "whole.json", "--json"], { cwd }),
      policyGuard(["eval", "p.yaml", "--request", "whole.json", "--stage", "output"], { cwd }),
    ]);
    expect(JSON.parse(whole.stdout)).toMatchObject({ outcome: "BLOCK", stage: "input" });
    expect(JSON.parse(apart.stdout)).toMatchObject({ outcome: "ALLOW" });
    expect(JSON.parse(explained.stdout)).toMatchObject({ decision: { outcome: "BLOCK" } });
    expect(staged).toMatchObject({ code: 2, stdout: "" });
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

describe("replay", () => {
  const lines = [
    { id: "1", text: attack, outcome: "ALLOW" },
    { id: "2", text: "Hello", outcome: "ALLOW" },
    { id: "3", text: "Hello", outcome: "BLOCK" },
  ];

  test.concurrent("tells what changes against the outcomes of a file, and is 1 only when asked", async () => {
    writeFileSync(join(folder, "lines.jsonl"), lines.map((line) => JSON.stringify(line)).join("\n"));
    const given = ["replay", "lines.jsonl", "--policy", "good/green.yaml"];
    const [human, machine, strict] = await Promise.all([
      run(...given),
      run(...given, "--json"),
      run(...given, "--fail-on-change"),
    ]);
    expect(human.stdout).toContain("3 lines: 2 changed, 1 newly blocked, 1 no longer\n");
    expect(human.stdout).toContain("line 1 (1): ALLOW -> BLOCK\n");
    expect(JSON.parse(machine.stdout)).toMatchObject({
      ...{ lines: 3, changed: 2, newly_blocked: 1, no_longer_blocked: 1 },
      changes: [
        { line: 1, id: "1", was: "ALLOW", is: "BLOCK" },
        { line: 3, id: "3", was: "BLOCK", is: "ALLOW" },
      ],
    });
    expect([human.code, machine.code, strict.code]).toEqual([0, 0, 1]);
  });

  test.concurrent("compares two policies, and names a line that says neither", async () => {
    writeFileSync(join(folder, "texts.jsonl"), `${JSON.stringify({ text: attack })}\n`);
    const given = ["replay", "texts.jsonl", "--policy", "good/green.yaml"];
    const [same, alone] = await Promise.all([run(...given, "--before", "good/green.yaml"), run(...given)]);
    expect(same.stdout).toContain("1 line: 0 changed");
    expect(alone.stderr).toContain('texts.jsonl:1: the line has no "outcome" to compare with');
    expect([same.code, alone.code]).toEqual([0, 2]);
  });
});

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { attack, newFolder, policyGuard, policyText, removeFolders } from "./run.ts";

afterAll(removeFolders);

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

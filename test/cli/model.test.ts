import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { hasAddon } from "../harness/model/model-host.ts";
import { tinyTexts, writeTinyModel } from "../harness/model/tiny-model.ts";
import { newFolder, policyGuard, removeFolders } from "./run.ts";

afterAll(removeFolders);

describe.skipIf(!hasAddon)("models on the command line", () => {
  const folder = newFolder();
  const tiny = writeTinyModel(join(folder, "tiny"));
  writeTinyModel(join(folder, "wrong"), {
    settings: { fixtures: [{ text: "order", ids: [1, 2], scores: { SAFE: 1 } }] },
  });

  test("a folder is checked as a runtime would, and a text shown as the model reads it", async () => {
    const { code, stdout } = await policyGuard(["model", "check", "tiny", "--text", tinyTexts.attack, "--json"], {
      cwd: folder,
    });
    expect(code).toBe(0);
    const said = JSON.parse(stdout);
    expect(said).toMatchObject({ labels: ["SAFE", "INJECTION"], activation: "softmax", fixtures: 2 });
    expect(said.digest).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(said.ids).toEqual([tiny.tokenizer.idsOf(tinyTexts.attack)]);
    expect(said.scores.INJECTION).toBeCloseTo(tiny.scoresOf(tinyTexts.attack).INJECTION ?? Number.NaN, 5);
    const people = await policyGuard(["model", "check", "tiny"], { cwd: folder });
    expect(people.stdout).toContain("SAFE (ignored), INJECTION (injection.model)");
  });

  test("a folder that a runtime would refuse is refused, with the reason", async () => {
    const { code, stdout } = await policyGuard(["model", "check", "wrong", "--json"], { cwd: folder });
    expect(code).toBe(1);
    expect(JSON.parse(stdout).error).toMatchObject({ code: "fixture_mismatch" });
    const nowhere = await policyGuard(["model", "check", "nowhere"], { cwd: folder });
    expect([nowhere.code, nowhere.stderr]).toEqual([2, expect.stringContaining("there is no such file or folder")]);
  });

  test("a model is measured at several lengths", async () => {
    const { code, stdout } = await policyGuard(["model", "bench", "tiny", "--runs", "3", "--json"], { cwd: folder });
    expect(code).toBe(0);
    const { runs, lengths } = JSON.parse(stdout);
    expect([runs, lengths.map(({ tokens }: { tokens: number }) => tokens)]).toEqual([3, [32, 128]]);
  });
});

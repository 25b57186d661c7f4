import { once } from "node:events";
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, expect, test } from "vitest";
import { attack, newFolder, policyText, removeFolders, startPolicyGuard } from "./run.ts";

afterAll(removeFolders);

const green = policyText("watched", {
  more: `tests:\n  - {name: it blocks, stage: input, text: "${attack}", expect: {outcome: BLOCK}}\n`,
});
const red = green.replace("outcome: BLOCK", "outcome: ALLOW");

test("--watch runs again after each change and not after its own reports, and ends with the last result", async () => {
  const cwd = newFolder({ "policies/p.yaml": green });
  const path = join(cwd, "policies", "p.yaml");
  const reports = ["--junit", "policies/out.xml", "--sarif", "policies/out.sarif"];
  const child = startPolicyGuard(["test", "policies", "--watch", "--json", ...reports], { cwd });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => JSON.parse((await lines.next()).value ?? "{}");
  try {
    expect(await next()).toMatchObject({ passed: true });
    // As editors save: to a file beside it, then by renaming. Many changes at once are one run.
    for (let i = 0; i < 20; i++) {
      writeFileSync(`${path}~`, red);
      renameSync(`${path}~`, path);
    }
    expect(await next()).toMatchObject({ passed: false, tests: { failed: 1 } });
    rmSync(path);
    expect(await next()).toMatchObject({ error: { code: "usage" } });
    writeFileSync(path, red);
    expect(await next()).toMatchObject({ passed: false });
    child.kill("SIGINT");
    const [code] = await once(child, "exit");
    expect(code).toBe(1);
    // No run beside those that were asked for.
    expect((await lines.next()).done).toBe(true);
  } finally {
    child.kill("SIGKILL");
  }
});

// A page of the documentation as somebody follows it: its commands in one shell, and what they print against what the
// page says.

import { execFile } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import type { Installation } from "./process/installation.ts";

const root = resolve(import.meta.dirname, "../..");
const maxShown = 2_000;
const endOfStep = "=== end of the step ===";

/** Commands, and what they print where the page says so. */
export interface PageStep {
  readonly commands: string;
  readonly printed: string | undefined;
}

/** The steps of a page: its shell blocks, each with the text that follows. */
export function stepsOf(page: string): PageStep[] {
  return [...page.matchAll(/^```sh\n([\s\S]*?)^```\n(?:\n```text\n([\s\S]*?)^```$)?/gm)].map(
    ([, commands = "", printed]) => ({ commands, printed }),
  );
}

/**
 * A folder like a checkout in which `npm start` runs: with these parts of the repository, and the facts of the first
 * start.
 */
export function makeCheckout(
  checkout: string,
  parts: readonly string[],
  {
    installation,
    runtimePort,
  }: { readonly installation: Pick<Installation, "world" | "url" | "token">; readonly runtimePort: number },
): void {
  mkdirSync(join(checkout, "var"), { recursive: true });
  for (const name of parts) symlinkSync(join(root, name), join(checkout, name));
  const { world, url, token } = installation;
  const facts = {
    base_url: url,
    runtime_url: `http://127.0.0.1:${runtimePort}`,
    org_id: world.orgId,
    project_id: world.projectId,
    environment: world.environment,
    admin_token: world.tokens.admin,
    ci_token: world.tokens.ci,
    runtime_token: token,
  };
  writeFileSync(join(checkout, "var/bootstrap.json"), JSON.stringify(facts));
}

/** What the commands print, one after the other in one shell, after those of the prelude. */
export async function playCommands(
  checkout: string,
  commands: readonly string[],
  prelude: string,
): Promise<readonly string[]> {
  const script = commands.map((each) => `${each}\necho "${endOfStep}"\n`).join("");
  const file = join(checkout, "..", "steps.sh");
  writeFileSync(file, `exec 2>&1\n${prelude}${script}`);
  const env = { PATH: process.env.PATH, HOME: checkout, NO_COLOR: "1" };
  const { stdout } = await promisify(execFile)("bash", [file], { cwd: checkout, env }).catch((err) => {
    throw new Error(`a command fails; the last lines that were printed:\n${String(err.stdout).slice(-maxShown)}`);
  });
  return stdout.split(`${endOfStep}\n`);
}

/** What fits the text of a page, in which "…" stands for anything. */
export function patternOf(printed: string): RegExp {
  const parts = printed.split("…").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join("[\\s\\S]*?")}$`);
}

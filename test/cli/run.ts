// Runs the command: the whole of it in this process, or the real one as a process of its own.

import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { compileCacheVariables } from "../../scripts/compile-cache.ts";
import { runProgram } from "../../src/cli/program.ts";

/** How the command ended. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Where and with what the command runs. */
export interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** Whether standard output is a terminal. */
  readonly isTerminal?: boolean;
}

const program = fileURLToPath(new URL("../../bin/policy-guard.mjs", import.meta.url));

let turn: Promise<unknown> = Promise.resolve();

/**
 * Runs `policy-guard` with these arguments, in an environment without settings of the developer's own. Without a
 * process of its own, which spends seconds on starting; one call after the other, since a process is in one folder
 * only.
 */
export function policyGuard(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  const ended = turn.then(() => runHere(args, options));
  turn = ended.catch(() => undefined);
  return ended;
}

async function runHere(
  args: readonly string[],
  { cwd, env, stdin = "", isTerminal = false }: RunOptions,
): Promise<Ended> {
  const folder = cwd ?? newFolder();
  const before = process.cwd();
  const [stdout, stderr] = [new Kept({ isTerminal }), new Kept({ isTerminal: false })];
  process.chdir(folder);
  try {
    const world = { stdin: Readable.from([stdin]), stdout, stderr, env: environmentIn(folder, env) };
    const code = await runProgram(args, { ...world, now: () => new Date(), program });
    return { code, stdout: stdout.text, stderr: stderr.text };
  } finally {
    process.chdir(before);
  }
}

/** Keeps what is written. */
class Kept extends Writable {
  text = "";
  readonly isTTY: boolean;

  constructor({ isTerminal }: { readonly isTerminal: boolean }) {
    super();
    this.isTTY = isTerminal;
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.text += chunk.toString("utf8");
    done();
  }
}

/** Runs `policy-guard` as a process of its own. */
export function policyGuardProcess(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  const child = startPolicyGuard(args, options);
  child.stdin.end(options.stdin ?? "");
  const output = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output.stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    output.stderr += text;
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, ...output }));
  });
}

/** Starts the command and leaves it running. */
export function startPolicyGuard(args: readonly string[], { cwd, env }: RunOptions) {
  const folder = cwd ?? newFolder();
  return spawn(process.execPath, [program, ...args], {
    cwd: folder,
    env: environmentIn(folder, env),
  });
}

function environmentIn(folder: string, env: RunOptions["env"]): NodeJS.ProcessEnv {
  return {
    PATH: process.env.PATH,
    ...compileCacheVariables,
    HOME: folder,
    XDG_CONFIG_HOME: join(folder, "config"),
    ...env,
  };
}

const folders: string[] = [];

/**
 * Removes the folders that the tests of a file made: for its `afterAll`. Test files share this module, which cannot
 * tell where one ends.
 */
export function removeFolders(): void {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
}

/** A new folder with these files. */
export function newFolder(files: Readonly<Record<string, string>> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), "policy-guard-cli-"));
  folders.push(folder);
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return folder;
}

const words = "detectors:\n  words: {use: keywords, keywords: [attack]}\n";
const blocking = "  - {id: attack, stages: [input], detect: words, action: BLOCK}\n";

/** A policy with these rules, else one that blocks the word "attack"; `more` is further keys. All of it is YAML. */
export function policyText(
  name: string,
  { rules = blocking, more = "" }: { rules?: string; more?: string } = {},
): string {
  return `apiVersion: policyguard/v1\nkind: Policy\nmetadata: {name: ${name}}\n${words}rules:\n${rules}${more}`;
}

/** A text that a policy without rules of its own blocks. */
export const attack = "This is an attack.";

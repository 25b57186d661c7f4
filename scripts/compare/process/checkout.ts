// A checkout of Policy Guard, used as an operator uses it: by the scripts of its package.json and by its command.

import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

/** What a program said, and how it ended. */
export interface Ending {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** How a program is started. */
export interface Start {
  readonly env: Readonly<Record<string, string>>;
  readonly logFile: string;
}

/** A checkout. */
export class Checkout {
  readonly root: string;
  /** "A" or "B". */
  readonly label: string;
  readonly #scripts: Readonly<Record<string, string>>;

  constructor(root: string, label: string) {
    this.root = resolve(root);
    this.label = label;
    const manifest: { scripts: Record<string, string> } = JSON.parse(this.read("package.json"));
    this.#scripts = manifest.scripts;
  }

  /** A file of the checkout. */
  read(path: string): string {
    return readFileSync(join(this.root, path), "utf8");
  }

  /**
   * Starts a script that goes on. Its process is the script's own, so that signals reach it: npm would not pass all of
   * them on.
   */
  start(script: string, { env, logFile }: Start): ChildProcess {
    const log = openSync(logFile, "a");
    try {
      return spawn("sh", ["-c", this.#commandOf(script)], {
        cwd: this.root,
        env: { ...this.#environment(), ...env },
        stdio: ["ignore", log, log],
      });
    } finally {
      closeSync(log);
    }
  }

  /** Runs a script to its end. */
  run(script: string, words: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ending> {
    const command = [this.#commandOf(script), ...words.map((word) => `'${word}'`)].join(" ");
    return ended(spawn("sh", ["-c", command], { cwd: this.root, env: { ...this.#environment(), ...env } }));
  }

  /** Runs the command `policy-guard` to its end. */
  command(
    words: readonly string[],
    { cwd, env = {}, input = "" }: { cwd: string; env?: Readonly<Record<string, string>>; input?: string },
  ): Promise<Ending> {
    const child = spawn(process.execPath, [join(this.root, "bin/policy-guard.mjs"), ...words], {
      cwd,
      env: { ...this.#environment(), NO_COLOR: "1", ...env },
    });
    child.stdin.on("error", () => {}); // a command that does not read its input
    child.stdin.end(input);
    return ended(child);
  }

  #commandOf(script: string): string {
    const command = this.#scripts[script];
    if (command === undefined) throw new Error(`${this.root} has no script "${script}"`);
    return command;
  }

  /** Nothing of what this process was told: variables of the product would reach both versions. */
  #environment(): Record<string, string> {
    const { PATH = "", HOME = "/" } = process.env;
    return { PATH: `${join(this.root, "node_modules/.bin")}:${PATH}`, HOME, LANG: "C.UTF-8", TZ: "UTC" };
  }
}

function ended(child: ChildProcess): Promise<Ending> {
  return new Promise((resolved, reject) => {
    let [stdout, stderr] = ["", ""];
    child.stdout?.on("data", (chunk) => {
      stdout += String(chunk);
    });
    child.stderr?.on("data", (chunk) => {
      stderr += String(chunk);
    });
    child.once("error", reject);
    child.once("close", (code) => resolved({ code, stdout, stderr }));
  });
}

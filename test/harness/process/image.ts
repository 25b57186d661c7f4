// The file tree of a container image, put together without a container engine, and programs that run in it as an engine
// would run them: in a root of their own that is read-only, as user 65532, without a shell.

import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";

/** The user of the images. */
export const imageUser = 65_532;
/** Where distroless images have Node. */
const node = "/nodejs/bin/node";

/**
 * Whether this machine lets a process have a root of its own: that needs root, and a sandbox may forbid it. Where it
 * does not, the tests of this file are skipped.
 */
export function canChangeRoot(): boolean {
  try {
    execFileSync("unshare", ["-m", "sh", "-c", "mount --bind /usr /usr && exec chroot --userspec=65532:65532 / true"], {
      stdio: "ignore",
    });
    return true;
  } catch {
    return false;
  }
}

/** Puts Node into the tree, with the system libraries that the base image has, and nothing else. */
export function layBase(tree: string): void {
  const put = (from: string, to: string) => {
    mkdirSync(dirname(join(tree, to)), { recursive: true });
    copyFileSync(from, join(tree, to));
  };
  put(process.execPath, node);
  const libraries = execFileSync("ldd", [process.execPath], { encoding: "utf8" }).matchAll(/(\/\S+) \(0x/g);
  for (const [, library = ""] of libraries) put(library, library);
  for (const folder of ["dev", "proc", "tmp", "data", "etc"]) mkdirSync(join(tree, folder), { recursive: true });
  chownSync(join(tree, "data"), imageUser, imageUser);
  writeFileSync(join(tree, "etc", "passwd"), `nonroot:x:${imageUser}:${imageUser}:nonroot:/tmp:/sbin/nologin\n`);
}

/** A program of the image, and what it is given. */
export interface ImageProgram {
  /** The folder that is the root. */
  readonly tree: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

// Every engine gives /dev and /proc. `/tmp` and `/data` are all that can be written to, as with `read_only: true` and
// volumes.
const enter =
  'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && mount --rbind /dev "$0/dev" && ' +
  'mount --rbind /proc "$0/proc" && ' +
  'mount -t tmpfs -o mode=1777 tmpfs "$0/tmp" && mount -t tmpfs -o mode=0700,uid=65532,gid=65532 tmpfs "$0/data" && ' +
  'exec chroot --userspec=65532:65532 "$0" "$@"';

function enclosed({ tree, args }: ImageProgram): string[] {
  return ["-m", "sh", "-c", enter, tree, node, ...args];
}

/** Runs a program to its end. Throws when it fails. */
export async function runInImage(program: ImageProgram): Promise<string> {
  const run = promisify(execFile)("unshare", enclosed(program), { env: { ...program.env } });
  // A command may read its standard input to the end.
  run.child.stdin?.end();
  return (await run).stdout;
}

/** A program that runs on. */
export interface RunningProgram {
  /** What it logged when it was ready. */
  readonly facts: Readonly<Record<string, unknown>>;
  /** Asks it to end. Returns the exit code. */
  stop(): Promise<number | null>;
}

/** Starts a program, and waits until it logs that it is ready. */
export async function startInImage(program: ImageProgram & { readonly readyMessage: string }): Promise<RunningProgram> {
  const child = spawn("unshare", enclosed(program), { env: { ...program.env }, stdio: ["ignore", "pipe", "pipe"] });
  // A test that breaks off takes it with it.
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill);
  child.once("exit", () => process.off("exit", kill));
  const facts = await ready(child, program.readyMessage);
  return {
    facts,
    async stop() {
      if (child.exitCode === null && child.signalCode === null) {
        const exited = once(child, "exit");
        child.kill("SIGTERM");
        await exited;
      }
      return child.exitCode;
    },
  };
}

function ready(child: ChildProcess, readyMessage: string): Promise<Record<string, unknown>> {
  return new Promise((resolve, reject) => {
    const last: string[] = [];
    for (const stream of [child.stdout, child.stderr]) {
      if (stream === null) continue;
      createInterface({ input: stream }).on("line", (line) => {
        last.push(line);
        if (last.length > 20) last.shift();
        if (line.includes(readyMessage)) resolve(JSON.parse(line));
      });
    }
    child.once("error", reject);
    child.once("exit", (code, signal) => reject(new Error(`it ended with ${code ?? signal}:\n${last.join("\n")}`)));
  });
}

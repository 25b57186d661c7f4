// The `policy-guard` command.

import { didYouMean } from "../../runtime/engine/policy/problem.ts";
import { systemClock } from "../kit/clock.ts";
import type { Surroundings } from "./command.ts";
import { type ExitCode, exitCodes, Failure, usageFailure } from "./failure.ts";
import { Output } from "./output.ts";
import { commandIn, commands } from "./registry.ts";

const world: Surroundings = {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  now: () => systemClock.now(),
};

// Whoever reads our output may stop reading: `policy-guard … | head`.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit();
  throw error;
});

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<ExitCode> {
  try {
    return await run(args);
  } catch (error) {
    const failure = await failureOf(error);
    if (failure === undefined) throw error;
    new Output(world, { isJson: args.includes("--json") }).failure(failure);
    return failure.exitCode;
  }
}

async function run(args: readonly string[]): Promise<ExitCode> {
  const [first = "help"] = args;
  if (first === "--help" || first === "-h") return run(["help", ...args.slice(1)]);
  if (first === "--version" || first === "-v") return run(["version", ...args.slice(1)]);
  const found = commandIn(args.length === 0 ? ["help"] : args);
  if (found === undefined) throw unknownCommand(args);
  const code = await (await found.entry.load()).execute(found.rest, world);
  // Called without a word of what to do.
  return args.length === 0 ? exitCodes.usage : code;
}

function unknownCommand(args: readonly string[]): Failure {
  const [first = "", second = ""] = args;
  const group = Object.keys(commands).filter((name) => name.startsWith(`${first} `));
  if (group.length > 0) {
    return usageFailure(`${first} needs one of: ${group.map((name) => name.slice(first.length + 1)).join(", ")}`);
  }
  const names = Object.keys(commands);
  const guess = didYouMean(first, names) ?? didYouMean(`${first} ${second}`, names);
  return usageFailure(`there is no command "${first}"`, guess ?? "`policy-guard help` lists the commands.");
}

async function failureOf(error: unknown): Promise<Failure | undefined> {
  if (error instanceof Failure) return error;
  if (!(error instanceof Error)) return undefined;
  // By name, so that commands that call no server do not load the client.
  if (error.name === "ConnectError") return (await import("./server-failure.ts")).serverFailure(error);
  if (error.name === "ConfigError") return new Failure(exitCodes.usage, "usage", error.message);
  return undefined;
}

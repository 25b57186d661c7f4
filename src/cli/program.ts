// What the `policy-guard` command does with its arguments. `main.ts` gives it a process.

import { didYouMean } from "../../runtime/engine/policy/problem.ts";
import type { Surroundings } from "./command.ts";
import { commandIn, commandsOf } from "./command-entry.ts";
import { type ExitCode, exitCodes, Failure, usageFailure } from "./failure.ts";
import { Output } from "./output.ts";
import { commands } from "./registry.ts";

/** Runs a command and prints its failure. Throws only for errors of the program itself. */
export async function runProgram(args: readonly string[], world: Surroundings): Promise<ExitCode> {
  try {
    return await run(args, world);
  } catch (error) {
    const failure = await failureOf(error);
    if (failure === undefined) throw error;
    new Output(world, { isJson: args.includes("--json") }).failure(failure);
    return failure.exitCode;
  }
}

async function run(args: readonly string[], world: Surroundings): Promise<ExitCode> {
  const [first = "help"] = args;
  if (first === "--help" || first === "-h") return run(["help", ...args.slice(1)], world);
  if (first === "--version" || first === "-v") return run(["version", ...args.slice(1)], world);
  const found = commandIn(commands, args.length === 0 ? ["help"] : args);
  if (found === undefined) {
    const [, ...rest] = args;
    if (commandsOf(commands, first).length > 0 && rest.some((arg) => arg === "--help" || arg === "-h")) {
      return run(["help", first, ...rest.filter((arg) => arg === "--json")], world);
    }
    throw unknownCommand(args);
  }
  const code = await (await found.entry.load()).execute(found.rest, world);
  // Called without arguments.
  return args.length === 0 ? exitCodes.usage : code;
}

function unknownCommand(args: readonly string[]): Failure {
  const [first = "", second = ""] = args;
  const group = commandsOf(commands, first);
  if (group.length > 0) {
    return usageFailure(`${first} needs one of: ${group.map((name) => name.slice(first.length + 1)).join(", ")}`);
  }
  if (first.startsWith("-"))
    return usageFailure(`there is no option ${first}`, "`policy-guard help` lists the commands.");
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

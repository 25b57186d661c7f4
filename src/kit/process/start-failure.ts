// Why a process does not start, for the person who started it: one clear line for each thing that is wrong, without a
// stack unless it is a defect of ours.

import { Fault } from "../fault/fault.ts";
import { ConfigError } from "./config.ts";
import { isDiskFull } from "./disk-full.ts";

/** Starts a process, whose ports these variables choose. When that fails, says why and ends with code 1. */
export async function startOrSay(
  { name, ports }: { readonly name: string; readonly ports: string },
  start: () => Promise<void>,
): Promise<void> {
  try {
    await start();
  } catch (error) {
    process.stderr.write(`${name} does not start: ${whyNotStarted(error, { ports })}\n`);
    process.exit(1);
  }
}

/** Runs a command to its end, which its exit code tells. When it fails, says why and ends with code 1. */
export async function runOrSay(run: () => Promise<number>): Promise<void> {
  try {
    process.exitCode = await run();
  } catch (error) {
    process.stderr.write(`${whyNotStarted(error)}\n`);
    process.exitCode = 1;
  }
}

/** Why a process does not start, or a command does not finish. */
export function whyNotStarted(error: unknown, { ports = "its variable" }: { readonly ports?: string } = {}): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof ConfigError || error instanceof Fault) return error.message;
  const code = codeOf(error);
  if (code !== undefined && "syscall" in error && error.syscall === "listen" && "port" in error) {
    const host = "address" in error ? String(error.address) : "";
    return whyNotListening(code, { shown: `port ${error.port}`, host, ports, hosts: "HOST or MANAGEMENT_HOST" });
  }
  // It does not always say where.
  if (isDiskFull(error)) return `there is no room in the data folder, which POLICY_GUARD_DATA names: ${error.message}`;
  // Errors that are made to be read are plain ones; TypeError and its like come from mistakes in the code.
  const isDefect = error.constructor !== Error && code === undefined;
  return isDefect ? (error.stack ?? error.message) : withCause(error);
}

/** Somewhere that could not be listened on. */
export interface Unheard {
  /** The port, as it is called in the message. */
  readonly shown: string;
  readonly host: string;
  /** The variables that choose the port, and the address. */
  readonly ports: string;
  readonly hosts: string;
}

/** Why a port cannot be listened on, by the code of the system. */
export function whyNotListening(code: string, { shown, host, ports, hosts }: Unheard): string {
  switch (code) {
    case "EADDRINUSE":
      return `${shown} is taken by another program; set ${ports} to another one`;
    case "EACCES":
      return `${shown} needs privileges that this user does not have; set ${ports} to one from 1024 on`;
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return `${hosts}: this machine has no address ${host}`;
    default:
      return `cannot listen on ${shown} of ${host} (${code})`;
  }
}

function codeOf(error: Error): string | undefined {
  return "code" in error && typeof error.code === "string" ? error.code : undefined;
}

function reasonOf(error: Error): string {
  // Several addresses were tried; the failure of one says enough.
  const [first] = error instanceof AggregateError ? error.errors : [];
  return first instanceof Error ? first.message : error.message;
}

function withCause(error: Error): string {
  const { cause } = error;
  return cause instanceof Error ? `${error.message}: ${reasonOf(cause)}` : reasonOf(error);
}

// The `policy-guard` command as a process.

import { systemClock } from "../kit/process/clock.ts";
import { runProgram } from "./program.ts";

// The reader of our output may stop reading: `policy-guard … | head`.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit();
  throw error;
});

process.exitCode = await runProgram(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  now: () => systemClock.now(),
  program: process.argv[1] ?? "policy-guard",
});

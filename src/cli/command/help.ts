import { didYouMean } from "../../../runtime/engine/policy/problem.ts";
import { defineCommand } from "../command.ts";
import { exitCodes, usageFailure } from "../failure.ts";
import { columns } from "../output.ts";
import { commandIn, commands } from "../registry.ts";

/** `policy-guard help`. */
export const help = defineCommand({
  name: "help",
  summary: "Print this, or the help of a command.",
  positionals: { label: "[command]", min: 0, max: 2 },
  options: {},
  async run({ positionals, output }) {
    if (positionals.length === 0) {
      output.line(overview());
      output.json({ commands: Object.entries(commands).map(([name, { summary }]) => ({ name, summary })) });
      return exitCodes.fine;
    }
    const name = positionals.join(" ");
    const found = commandIn(positionals);
    if (found === undefined)
      throw usageFailure(`there is no command "${name}"`, didYouMean(name, Object.keys(commands)));
    const command = await found.entry.load();
    output.line(command.help.trimEnd());
    output.json({ name: found.name, summary: found.entry.summary, help: command.help });
    return exitCodes.fine;
  },
});

function overview(): string {
  const rows = Object.entries(commands).map(([name, { summary }]) => [`  ${name}`, summary]);
  return [
    "Write, check, test, explain and ship guard policies.",
    "",
    "usage: policy-guard <command> [options]",
    "",
    "commands:",
    ...columns(rows),
    "",
    "`policy-guard <command> --help` tells more. Exit codes: 0 fine, 1 not fine or refused, 2 called wrongly, 3 the",
    "server could not be reached or failed.",
  ].join("\n");
}

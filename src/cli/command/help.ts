import { didYouMean } from "../../../runtime/engine/policy/problem.ts";
import { type Command, defineCommand } from "../command.ts";
import { type CommandEntries, commandIn, commandsOf } from "../command-entry.ts";
import { exitCodes, usageFailure } from "../failure.ts";
import { columns } from "../output.ts";

/** `policy-guard help`, about these commands. */
export function helpOf(commands: CommandEntries): Command {
  return defineCommand({
    name: "help",
    summary: "Print this, or the help of a command.",
    positionals: { label: "[command]", min: 0, max: 2 },
    options: {},
    async run({ positionals, output }) {
      if (positionals.length === 0) {
        output.line(overview(commands));
        output.json({ commands: summaries(commands, Object.keys(commands)) });
        return exitCodes.fine;
      }
      const name = positionals.join(" ");
      const found = commandIn(commands, positionals);
      const group = found === undefined ? commandsOf(commands, name) : [];
      if (group.length > 0) {
        output.line(
          `usage: policy-guard ${name} <command> [options]\n\ncommands:\n${table(commands, group).join("\n")}`,
        );
        output.json({ commands: summaries(commands, group) });
        return exitCodes.fine;
      }
      if (found === undefined)
        throw usageFailure(`there is no command "${name}"`, didYouMean(name, Object.keys(commands)));
      const command = await found.entry.load();
      output.line(command.help.trimEnd());
      output.json({ name: found.name, summary: found.entry.summary, help: command.help });
      return exitCodes.fine;
    },
  });
}

function summaries(commands: CommandEntries, names: readonly string[]): { name: string; summary: string }[] {
  return names.map((name) => ({ name, summary: commands[name]?.summary ?? "" }));
}

function table(commands: CommandEntries, names: readonly string[]): string[] {
  return columns(summaries(commands, names).map(({ name, summary }) => [`  ${name}`, summary]));
}

function overview(commands: CommandEntries): string {
  return [
    "Write, check, test, explain and ship guard policies.",
    "",
    "usage: policy-guard <command> [options]",
    "",
    "commands:",
    ...table(commands, Object.keys(commands)),
    "",
    "`policy-guard <command> --help` tells more. Exit codes: 0 fine, 1 not fine or refused, 2 called wrongly, 3 the",
    "server could not be reached or failed.",
  ].join("\n");
}

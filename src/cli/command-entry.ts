// The commands by their names, and how arguments find one.

import type { Command } from "./command.ts";

/** A command that is not loaded yet. */
export interface CommandEntry {
  readonly summary: string;
  readonly load: () => Promise<Command>;
}

/** Commands by their names, in the order of the help. */
export type CommandEntries = Readonly<Record<string, CommandEntry>>;

/** The commands of a group, such as "policies". */
export function commandsOf(commands: CommandEntries, group: string): string[] {
  return Object.keys(commands).filter((name) => name.startsWith(`${group} `));
}

/** The command that arguments begin with, and the arguments left for it. */
export function commandIn(
  commands: CommandEntries,
  args: readonly string[],
): { readonly name: string; readonly entry: CommandEntry; readonly rest: readonly string[] } | undefined {
  for (const words of [2, 1]) {
    const name = args.slice(0, words).join(" ");
    const entry = Object.hasOwn(commands, name) ? commands[name] : undefined;
    if (entry !== undefined) return { name, entry, rest: args.slice(words) };
  }
  return undefined;
}

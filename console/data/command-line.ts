// Commands that people copy into a shell. What stands in them may come from an address that somebody else made.

/** A command with the options that are given; a shell takes each value as it is, whatever it says. */
export function commandLine(command: string, options: Readonly<Record<string, string | true | undefined>>): string {
  const words = Object.entries(options).flatMap(([name, value]) => {
    if (value === undefined) return [];
    return [value === true ? `--${name}` : `--${name}=${shellWord(value)}`];
  });
  return [command, ...words].join(" ");
}

/** The text as one word of a POSIX shell. */
function shellWord(text: string): string {
  return /^[\w.:/@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

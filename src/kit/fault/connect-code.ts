// Connect's codes by the names that the catalogue uses.

import { Code, ConnectError } from "@connectrpc/connect";

export { Code, ConnectError };

/** The code with this Connect spelling, such as "not_found". Throws for any other string. */
export function codeFromString(name: string): Code {
  const key = name.replace(/(^|_)([a-z])/g, (_, __, letter: string) => letter.toUpperCase());
  const code = (Code as unknown as Record<string, Code | undefined>)[key];
  if (code === undefined) throw new Error(`unknown Connect code "${name}"`);
  return code;
}

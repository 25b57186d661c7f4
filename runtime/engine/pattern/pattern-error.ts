// Messages for refused patterns: they name the construct and say what to do instead.

/** A pattern that the engine refuses. The message names the construct and says what to do instead. */
export class PatternError extends Error {
  override readonly name = "PatternError";
}

interface Construct {
  /** How the refused part begins. */
  readonly shape: RegExp;
  readonly advice: string;
}

const constructs: readonly Construct[] = [
  {
    shape: /^\(\?<?[=!]/,
    advice:
      "look-around is not supported, since it has no linear-time evaluation: match the context too, or use a capturing group",
  },
  {
    shape: /^\\(?:[1-9]|k)/,
    advice:
      "back-references are not supported, since they have no linear-time evaluation: list the alternatives instead",
  },
  {
    shape: /^\(\?>|^[+*?}].*\+$/,
    advice: "atomic groups and possessive quantifiers are not supported and not needed: this engine never backtracks",
  },
  { shape: /^\(\?#/, advice: "comments inside a pattern are not supported: leave the comment out" },
  { shape: /^\\[GKRXZhN]/, advice: "this escape belongs to another engine: use a character class, \\A or \\z" },
];

/**
 * The message for a pattern that the engine refused. The engine's own message ends with the part that it could not
 * parse.
 */
export function explainRefusal(message: string): string {
  const reason = message.replace("error parsing regexp: ", "");
  const part = /`([^`]*)`$/.exec(reason)?.[1] ?? "";
  const known = constructs.find(({ shape }) => shape.test(part));
  if (known !== undefined) return `${known.advice} (${reason})`;
  if (reason.startsWith("invalid repeat count")) {
    return `a repetition may count to 1,000 at most, nested ones together (${reason})`;
  }
  return reason;
}

// Injection rules: RE2 syntax where a space matches any white space.

/**
 * Expands the pattern of a rule: a space becomes any white space, and an optional one (" ?") any or none; within a
 * character class it stays a space.
 */
export function expandRule(pattern: string): string {
  let result = "";
  let inClass = false;
  for (let i = 0; i < pattern.length; i++) {
    const char = pattern[i] ?? "";
    if (char === "\\") {
      result += char + (pattern[++i] ?? "");
      continue;
    }
    if (char === "[") inClass = true;
    else if (char === "]") inClass = false;
    if (char !== " " || inClass) result += char;
    else if (pattern[i + 1] === "?") {
      result += "\\s*";
      i++;
    } else result += "\\s+";
  }
  return result;
}

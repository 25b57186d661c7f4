// Parses the printed form of a number: the subset of regular expressions in which the table of formats is written. It
// has characters, classes of ASCII characters, groups with alternatives, bounded repetition, negative look-ahead and
// references to a group.

/** A part of a form. */
export type ShapePart =
  | { readonly kind: "character"; readonly characters: string }
  | { readonly kind: "series"; readonly parts: readonly ShapePart[] }
  | { readonly kind: "choice"; readonly options: readonly ShapePart[]; readonly group: number }
  | { readonly kind: "repeat"; readonly part: ShapePart; readonly min: number; readonly max: number }
  | { readonly kind: "same"; readonly group: number };

const nothing: ShapePart = { kind: "series", parts: [] };

/** Parses a form; look-ahead becomes an empty part. Throws an Error for syntax outside the subset. */
export function parseShape(shape: string): ShapePart {
  let at = 0;
  let groups = 0;

  const take = (expression: RegExp): RegExpExecArray | undefined => {
    expression.lastIndex = at;
    const match = expression.exec(shape) ?? undefined;
    at += match?.[0].length ?? 0;
    return match;
  };

  const choice = (group: number): ShapePart => {
    const options = [series()];
    while (take(/\|/y) !== undefined) options.push(series());
    return { kind: "choice", options, group };
  };

  const series = (): ShapePart => {
    const parts: ShapePart[] = [];
    while (at < shape.length && shape[at] !== "|" && shape[at] !== ")") parts.push(repeated(single()));
    return { kind: "series", parts };
  };

  const single = (): ShapePart => {
    const open = take(/\((?:\?([:!]))?/y);
    if (open !== undefined) {
      const inner = choice(open[1] === undefined ? ++groups : 0);
      if (take(/\)/y) === undefined) throw new Error(`the form "${shape}" has an open group`);
      return open[1] === "!" ? nothing : inner;
    }
    const same = take(/\\([1-9])/y);
    if (same !== undefined) return { kind: "same", group: Number(same[1]) };
    const one = take(/\[[^\]^]+\]|\\d|\\[^A-Za-z0-9]|[^\\[\](){}?*+|^$]/y);
    if (one === undefined) throw new Error(`the form "${shape}" cannot be read at ${at}`);
    return { kind: "character", characters: charactersOf(one[0]) };
  };

  const repeated = (part: ShapePart): ShapePart => {
    const times = take(/\?|\{(\d+)(?:,(\d+))?\}/y);
    if (times === undefined) return part;
    const [sign, min = "0", max = sign === "?" ? "1" : min] = times;
    return { kind: "repeat", part, min: Number(min), max: Number(max) };
  };

  const whole = choice(0);
  if (at < shape.length) throw new Error(`the form "${shape}" cannot be read at ${at}`);
  return whole;
}

const printable = Array.from({ length: 95 }, (_, index) => String.fromCharCode(0x20 + index)).join("");

// All characters of a class; the table has none beyond Latin-1.
function charactersOf(source: string): string {
  const one = new RegExp(`^${source}$`);
  return [...`${printable}\u00d1`].filter((character) => one.test(character)).join("");
}

/** The minimum number of digits in any text of a form. */
export function minDigits(part: ShapePart): number {
  switch (part.kind) {
    case "character":
      return /^\d+$/.test(part.characters) ? 1 : 0;
    case "series":
      return part.parts.reduce((sum, each) => sum + minDigits(each), 0);
    case "choice":
      return Math.min(...part.options.map(minDigits));
    case "repeat":
      return part.min * minDigits(part.part);
    case "same":
      return 0;
  }
}

// Assignments to a name: `NAME_API_KEY = "…"`, `name: …`, `name => …`, "my name key is …", as in source code, `.env`
// files, JSON, YAML, command lines and prose. The text is read from the end of the name, over a bounded number of
// characters.

/** A value and the text between its name and it. */
export interface Assignment {
  /** Offset of the value. */
  readonly start: number;
  /** The rest of the name, such as "_API_KEY" after "ACME". */
  readonly name: string;
  /** Whether it is in quotes. */
  readonly quoted: boolean;
  /** Whether it was written as a sentence. */
  readonly prose: boolean;
}

const maxNameLength = 32;
const nameUnit = /[A-Za-z0-9_.\- \t]/;
const operator = /[\s'"`\])]{0,3}(?:=>|:=|\?=|\|\|=?|:{1,3}=|==?|->|[:=>,|])[`'"\s=(\\]{0,5}/y;
const verb = /(?:^|[ \t])(?:is|was|ist|es|est|è|é|to|lautet|equals|are)(?: now)?:?[ \t]{1,2}[`'"]?/;

/** The value that is assigned to the name that ends at an offset. */
export function assignmentAt(text: string, end: number): Assignment | undefined {
  let at = end;
  while (at < text.length && at - end < maxNameLength && nameUnit.test(text[at] ?? "")) at++;
  operator.lastIndex = at;
  const found = operator.exec(text);
  const name = text.slice(end, at);
  if (found !== null) {
    const quoted = /[`'"]/.test(found[0].slice(-2));
    return { start: at + found[0].length, name, quoted, prose: false };
  }
  const said = verb.exec(name);
  if (said === null) return undefined;
  const start = end + said.index + said[0].length;
  return { start, name: name.slice(0, said.index), quoted: /[`'"]$/.test(said[0]), prose: true };
}

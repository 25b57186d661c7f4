// XML as reports write it.

/** Attributes of an element, each after a space. */
export function attributes(values: Readonly<Record<string, string | number>>): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${escaped(String(value)).replace(/[\n\r\t]/g, (c) => `&#${c.charCodeAt(0)};`)}"`)
    .join("");
}

const entities: Readonly<Record<string, string>> = { "<": "&lt;", ">": "&gt;", "&": "&amp;", '"': "&quot;" };

/** Escapes what XML 1.0 reserves and replaces what it cannot hold at all (section 2.2). */
export function escaped(text: string): string {
  return (
    text
      .toWellFormed()
      // biome-ignore lint/suspicious/noControlCharactersInRegex: XML cannot hold them
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "\ufffd")
      .replace(/[<>&"]/g, (character) => entities[character] ?? character)
  );
}

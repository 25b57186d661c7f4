// A test or an exemption made of a trace, and its place in the text of a policy. The text stays as people wrote it: one
// line is added to a list, and nothing else is touched.

/** What is added: a mapping with plain values. */
export type Entry = Readonly<Record<string, unknown>>;

/** The text with the entry at the end of the list; undefined where the list is written so that a line does not fit. */
export function addToList(source: string, list: "tests" | "exemptions", entry: Entry): string | undefined {
  if (/^\s*\{/.test(source)) return addToJson(source, list, entry);
  const lines = source.replace(/\s+$/, "").split("\n");
  const at = lines.findIndex((line) => line.startsWith(`${list}:`));
  const head =
    at < 0
      ? undefined
      : (lines[at] ?? "")
          .slice(list.length + 1)
          .replace(/\s+#.*$/, "")
          .trim();
  if (at < 0) return `${lines.join("\n")}\n${list}:\n  - ${flow(entry)}\n`;
  if (head === "[]") lines.splice(at, 1, `${list}:`, `  - ${flow(entry)}`);
  else if (head === "") addToBlock(lines, at, entry);
  else return undefined;
  return `${lines.join("\n")}\n`;
}

function addToBlock(lines: string[], at: number, entry: Entry): void {
  const first = lines.slice(at + 1).find((line) => line.trim() !== "" && !line.trim().startsWith("#"));
  const indent = /^(\s*)- /.exec(first ?? "")?.[1] ?? "  ";
  const isWithin = (line: string) =>
    line.trim() === "" || /^\s/.test(line) || line.startsWith("#") || (indent === "" && line.startsWith("- "));
  let end = at + 1;
  while (end < lines.length && isWithin(lines[end] ?? "")) end += 1;
  while (/^\s*(?:#.*)?$/.test(lines[end - 1] ?? "") && end > at + 1) end -= 1;
  lines.splice(end, 0, `${indent}- ${flow(entry)}`);
}

function addToJson(source: string, list: string, entry: Entry): string | undefined {
  try {
    const document = JSON.parse(source) as Record<string, unknown>;
    const former = Array.isArray(document[list]) ? document[list] : [];
    return `${JSON.stringify({ ...document, [list]: [...former, entry] }, null, 2)}\n`;
  } catch {
    return undefined;
  }
}

/** A value in YAML's flow style. Texts are in double quotes, as JSON escapes them, so none is read as anything else. */
export function flow(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flow).join(", ")}]`;
  if (typeof value === "object" && value !== null)
    return `{${Object.entries(value)
      .map(([key, each]) => `${key}: ${flow(each)}`)
      .join(", ")}}`;
  if (
    typeof value === "string" &&
    /^[a-zA-Z][\w.-]*$/.test(value) &&
    !/^(?:y|n|yes|no|on|off|true|false|null)$/i.test(value)
  )
    return value;
  // YAML breaks lines at these, and JSON leaves them as they are.
  return JSON.stringify(value).replace(/[\u0085\u2028\u2029\ufeff]/g, escaped);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

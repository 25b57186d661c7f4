// What a vector wants against what came back: every member that it names has to be there; others may be.

import type { JsonValue } from "@bufbuild/protobuf";

const patterns: Readonly<Record<string, (value: unknown) => boolean>> = {
  "${any}": (value) => value !== undefined,
  "${uuid}": (value) => /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(String(value)),
  "${timestamp}": (value) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(String(value)),
  "${digest}": (value) => /^sha256:[0-9a-f]{64}$/.test(String(value)),
  "${string}": (value) => typeof value === "string" && value !== "",
  "${number}": (value) => typeof value === "number",
};

/** Where the value differs from what is wanted, each as "path: expected …, got …"; empty when it does not. */
export function mismatches(want: JsonValue, got: unknown, path = "body"): string[] {
  if (typeof want === "string" && want in patterns) {
    return patterns[want]?.(got) ? [] : [differs(path, want, got)];
  }
  if (Array.isArray(want)) {
    if (!Array.isArray(got) || got.length !== want.length) return [differs(path, want, got)];
    return want.flatMap((item, index) => mismatches(item, got[index], `${path}[${index}]`));
  }
  if (typeof want === "object" && want !== null) {
    if (typeof got !== "object" || got === null || Array.isArray(got)) return [differs(path, want, got)];
    const members = got as Record<string, unknown>;
    return Object.entries(want).flatMap(([key, value]) => mismatches(value, members[key], `${path}.${key}`));
  }
  return want === got ? [] : [differs(path, want, got)];
}

// The items that "${numbered:w,3}" of a list stands for: "w1", "w2", "w3".
function numbered(item: JsonValue): string[] | undefined {
  const [, text = "", count] = typeof item === "string" ? (/^\$\{numbered:(\w+),(\d+)\}$/.exec(item) ?? []) : [];
  return count === undefined ? undefined : Array.from({ length: Number(count) }, (_, index) => `${text}${index + 1}`);
}

/** The value with every "${name}" replaced; names may reach into bound answers, as in "${webhook.id}". */
export function filled<T extends JsonValue>(value: T, variables: Readonly<Record<string, unknown>>): T {
  const fill = (item: JsonValue): JsonValue => {
    if (typeof item === "string") {
      return item in patterns
        ? item
        : item.replace(/\$\{([\w.]+)\}/g, (_, name: string) => String(lookUp(variables, name)));
    }
    if (Array.isArray(item)) return item.flatMap((each) => numbered(each) ?? [fill(each)]);
    if (typeof item !== "object" || item === null) return item;
    return Object.fromEntries(Object.entries(item).map(([key, member]) => [key, fill(member)]));
  };
  return fill(value) as T; // the same shape, strings replaced
}

function lookUp(variables: Readonly<Record<string, unknown>>, name: string): unknown {
  let value: unknown = variables;
  for (const key of name.split(".")) value = (value as Record<string, unknown> | undefined)?.[key];
  if (value === undefined) throw new Error(`the vector names \${${name}}, which nothing binds`);
  return value;
}

function differs(path: string, want: unknown, got: unknown): string {
  return `${path}: expected ${JSON.stringify(want)}, got ${JSON.stringify(got)}`;
}

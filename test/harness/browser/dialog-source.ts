// The dialogs of the console by their sources, with the titles that they may have: so no list of them goes stale.

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { en } from "../../../console/text/en.ts";

const folder = join(dirname(fileURLToPath(import.meta.url)), "../../../console");
const element = /<(?:DeedDialog|Dialog|ShownOnce)\b[\s\S]*?\btitle=\{(.+?)\}(?=\s|>|$)/gm;

/** A dialog of a page. */
export interface DialogSource {
  /** The source with the name of its title, such as "page/list/create.tsx createTitle". */
  readonly key: string;
  readonly file: string;
  /** Its title; absent where the source computes it. */
  readonly title: RegExp | undefined;
}

/** All dialogs of the pages; a dialog with several titles is there once for each. */
export function dialogSources(): readonly DialogSource[] {
  const files = readdirSync(join(folder, "page"), { recursive: true, encoding: "utf8" }).toSorted();
  return files
    .filter((name) => name.endsWith(".tsx"))
    .flatMap((name) => dialogsOf(`page/${name.replaceAll("\\", "/")}`));
}

function dialogsOf(file: string): readonly DialogSource[] {
  const source = readFileSync(join(folder, file), "utf8");
  const group = /const texts = en\.(\w+);/.exec(source)?.[1] ?? "";
  const texts: Readonly<Record<string, unknown>> = Object(Object(en)[group]);
  const expressions = [...source.matchAll(element)].map(([, expression = ""]) => expression);
  const names = expressions.flatMap((expression) => {
    const found = [...expression.matchAll(/\btexts\.(\w+)/g)].map(([, name = ""]) => name);
    return found.length === 0 ? [""] : found;
  });
  return [...new Set(names)].map((name) => ({ key: `${file} ${name}`.trim(), file, title: patternOf(texts[name]) }));
}

/** The titles that a text may become. */
function patternOf(text: unknown): RegExp | undefined {
  const gap = "\u0001";
  const said = typeof text === "function" ? String(text(gap)) : text;
  if (typeof said !== "string") return undefined;
  const literal = (part: string) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`^${said.split(gap).map(literal).join("[\\s\\S]*")}$`);
}

// Detects the language of code: from the info string of a fenced block (CommonMark, section 4.5), and from lines that
// occur in one language only.

import type { Trigger } from "../detector-plan.ts";
import type { Finding } from "../finding.ts";

/** A line that occurs in one language only, found by a literal in it. */
interface Signature {
  readonly language: string;
  readonly literal: string;
  readonly before?: RegExp;
  readonly after: RegExp;
}

const lineStart = /(?:^|\n)[ \t]{0,40}$/;

const signatures: readonly Signature[] = [
  {
    language: "python",
    literal: "def ",
    before: lineStart,
    after: /[A-Za-z_]\w{0,60}\([^\n]{0,200}\)(?: ->[^\n:]{1,60})?:/y,
  },
  { language: "python", literal: "if __name__", after: / == ["']__main__["']/y },
  { language: "javascript", literal: "console.log(", after: /./y },
  {
    language: "javascript",
    literal: "function ",
    before: lineStart,
    after: /[A-Za-z_$][\w$]{0,60}\([^\n)]{0,200}\) ?\{/y,
  },
  {
    language: "javascript",
    literal: "const ",
    before: lineStart,
    after: /[A-Za-z_${[][^\n=]{0,80}= (?:require\(|await |async |\(|new |["'`[{\d])/y,
  },
  {
    language: "typescript",
    literal: "interface ",
    before: /(?:^|\n)(?:export )?$/,
    after: /[A-Z]\w{0,60} (?:extends [^{\n]{1,60})?\{/y,
  },
  { language: "java", literal: "public static void main", after: /\(String/y },
  { language: "java", literal: "System.out.print", after: /(?:ln|f)?\(/y },
  { language: "c", literal: "#include ", before: /(?:^|\n)$/, after: /[<"][\w./+-]{1,60}[>"]/y },
  { language: "csharp", literal: "using System", before: /(?:^|\n)$/, after: /(?:\.[A-Za-z.]{1,60})?;/y },
  { language: "go", literal: "package main", before: /(?:^|\n)$/, after: /\s/y },
  {
    language: "go",
    literal: "func ",
    before: /(?:^|\n)$/,
    after: /(?:\([^\n)]{1,60}\) )?[A-Za-z_]\w{0,60}\([^\n]{0,120}\{/y,
  },
  {
    language: "rust",
    literal: "fn ",
    before: /(?:^|\n)[ \t]{0,20}(?:pub )?$/,
    after: /[a-z_]\w{0,60}(?:<[^\n>]{1,60}>)?\([^\n]{0,120}\{/y,
  },
  { language: "php", literal: "<?php", after: /\s/y },
  { language: "shell", literal: "#!/bin/", before: /(?:^|\n)$/, after: /(?:ba|z|k|da)?sh/y },
  {
    language: "sql",
    literal: "select ",
    before: /(?:^|[\n;("'`])[ \t]{0,20}$/,
    after:
      /[\w*,."`() \t\n]{1,200}\bfrom\s{1,4}[\w."`]{1,64}(?:\s{0,4};|\s{1,4}(?:where|join|group|order|limit|inner|left)\b)/iy,
  },
  { language: "sql", literal: "create table ", after: /(?:if not exists )?[\w."`]{1,64}\s{0,4}\(/iy },
  { language: "sql", literal: "insert into ", after: /[\w."`]{1,64}\s{0,4}(?:\([^)\n]{1,200}\)\s{0,4})?values/iy },
  { language: "html", literal: "<!doctype html", after: /\s*>/iy },
  { language: "html", literal: "</div>", after: /(?:)/y },
  { language: "ruby", literal: "puts ", before: lineStart, after: /["'][^\n]{0,120}["']/y },
];

const fence = /([A-Za-z][A-Za-z0-9+#_.-]{0,20})[ \t]*(?:\r?\n|\{)/y;

/** Examines fenced blocks and characteristic lines. */
export const languageTriggers: readonly Trigger[] = [
  {
    literal: "```",
    locate: (text, end) => {
      fence.lastIndex = end;
      const name = fence.exec(text)?.[1];
      return name === undefined ? undefined : findingOf(name.toLowerCase(), end - 3, end + name.length, "fenced block");
    },
  },
  ...signatures.map(
    (signature): Trigger => ({
      literal: signature.literal.trimEnd(),
      locate: (text, end) => locate(signature, text, end),
    }),
  ),
];

function locate({ language, literal, before, after }: Signature, text: string, end: number): Finding | undefined {
  const trimmed = literal.trimEnd();
  const start = end - trimmed.length;
  if (before !== undefined && !before.test(text.slice(Math.max(0, start - 42), start))) return undefined;
  const from = end + literal.length - trimmed.length;
  if (from > end && !/\s/.test(text[end] ?? "")) return undefined;
  after.lastIndex = from;
  const match = after.exec(text);
  return match === null ? undefined : findingOf(language, start, from + match[0].length, "line of the language");
}

// Code alone is not dangerous: the score exceeds any threshold, for policies that select the finding by its category.
function findingOf(language: string, start: number, end: number, basis: string): Finding {
  return { category: "code.language", start, end, score: 0.9, attributes: { language, basis } };
}

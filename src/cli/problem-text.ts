// Problems of policies as lines that editors and terminals understand: file:line:column: severity path: message.

import type { JsonObject } from "@bufbuild/protobuf";
import type { PolicyProblem } from "../../runtime/engine/policy/problem.ts";
import { type Output, shown } from "./output.ts";
import type { PolicyFile } from "./policy-file.ts";

/** Prints the problems of a file; on a terminal with the line of the source and a mark below it. */
export function printProblems({ path, source, problems }: PolicyFile, output: Output): void {
  const lines = linesOf(source);
  for (const problem of problems) {
    const style = problem.severity === "error" ? "red" : "yellow";
    output.line(problemLine(path, problem, (text) => output.styled(style, text)));
    if (output.isTerminal) for (const line of excerpt(lines, problem)) output.line(output.styled("dim", line));
  }
}

/** The lines of a source. */
export function linesOf(source: string): string[] {
  return source.split(/\r\n|\r|\n/);
}

/** One problem on one line. */
export function problemLine(file: string, problem: PolicyProblem, mark: (severity: string) => string): string {
  const { line, column, path, message, suggestion, severity } = problem;
  const place = line === 0 ? file : `${file}:${line}:${column}`;
  const about = path === "" ? "" : ` ${path}`;
  const more = suggestion === undefined ? "" : ` (${suggestion})`;
  return shown(`${place}: `) + mark(severity) + oneLine(`${about}: ${message}${more}`);
}

const maxExcerptLength = 120;

/** The line of the source with a caret below the position; nothing when the position is unknown. */
export function excerpt(lines: readonly string[], { line, column }: Pick<PolicyProblem, "line" | "column">): string[] {
  const text = line === 0 ? undefined : lines[line - 1];
  if (text === undefined) return [];
  // A long line is shown from shortly before the position.
  const from = Math.max(0, Math.min(column - 40, text.length - maxExcerptLength));
  const visible = oneLine(text.slice(from, from + maxExcerptLength).replaceAll("\t", " "));
  const margin = `${line} | `.padStart(9);
  return [margin + visible, `${" ".repeat(margin.length + Math.max(0, column - 1 - from))}^`];
}

function oneLine(text: string): string {
  return shown(text).replace(/[\r\n\u2028\u2029]+/g, " ");
}

/** A problem for programs. */
export function problemJson({ code, path, message, suggestion, severity, ...range }: PolicyProblem): JsonObject {
  const { line, column, endLine, endColumn } = range;
  const end = { end_line: endLine, end_column: endColumn };
  return { line, column, ...end, code, path, message, suggestion: suggestion ?? null, severity };
}

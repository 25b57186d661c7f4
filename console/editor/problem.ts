import { Text } from "@codemirror/state";

/** A fault of the text at a place, counted from 1. Line 0: of the text as a whole. */
export interface EditorProblem {
  readonly line: number;
  readonly column: number;
  /** Where it ends: the place after its last character. Absent where only the beginning is known. */
  readonly end?: { readonly line: number; readonly column: number };
  readonly text: string;
  readonly isWarning: boolean;
  /** What was probably meant instead of the word at the place. */
  readonly suggested?: string | undefined;
}

/**
 * What to underline: from the place to its end, or the word there when the end is unknown. The server may have judged an
 * older text, so places beyond the end are moved to it.
 */
export function rangeOf(doc: Text, { line, column, end }: Pick<EditorProblem, "line" | "column" | "end">) {
  const from = offsetOf(doc, line, column);
  if (end !== undefined) return { from, to: Math.max(from, offsetOf(doc, end.line, end.column)) };
  const word = /^[^\s,\]}#]*/.exec(doc.sliceString(from, doc.lineAt(from).to))?.[0] ?? "";
  return { from, to: from + word.length };
}

/** The offset of a place, or of the nearest one in its line. */
export function offsetOf(doc: Text, line: number, column: number): number {
  const { from, to } = doc.line(Math.min(Math.max(line, 1), doc.lines));
  return Math.min(from + Math.max(column, 1) - 1, to);
}

/**
 * The change that puts the suggestion in place of the word that the problem names; undefined where it stands elsewhere.
 */
export function fixOf(doc: Text, problem: EditorProblem) {
  const { from, to } = rangeOf(doc, problem);
  const [word = ""] = /[\w.-]+/.exec(doc.sliceString(from, to)) ?? [];
  if (problem.suggested === undefined || word === "" || !problem.text.includes(`"${word}"`)) return undefined;
  const start = from + doc.sliceString(from, to).indexOf(word);
  return { from: start, to: start + word.length, insert: problem.suggested };
}

/** What each suggestion would write into a text, for those that can be taken. */
export function fixesOf(source: string, problems: readonly EditorProblem[]): ReadonlyMap<EditorProblem, string> {
  const doc = Text.of(source.split("\n"));
  return new Map(
    problems.flatMap((problem) => {
      const fix = fixOf(doc, problem);
      return fix === undefined ? [] : [[problem, fix.insert] as const];
    }),
  );
}

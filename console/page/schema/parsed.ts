import { useMemo } from "react";
import type { EditorProblem } from "../../editor/problem.ts";
import { parseSchema } from "./json.ts";

/** The text of an editor as a schema, and its problem as the editor underlines it. */
export function useParsed(text: string): {
  readonly parsed: ReturnType<typeof parseSchema>;
  readonly problems: readonly EditorProblem[];
} {
  return useMemo(() => {
    const parsed = parseSchema(text);
    return { parsed, problems: parsed.problem === undefined ? [] : [parsed.problem] };
  }, [text]);
}

import { problemKinds } from "../../runtime/engine/policy/problem.ts";
import { code, table } from "./table.ts";

/** The codes of problems of policy documents. */
export function problemTable(): string {
  return table(
    ["code", "what it is about"],
    Object.entries(problemKinds).map(([kind, text]) => [code(kind), text]),
  );
}

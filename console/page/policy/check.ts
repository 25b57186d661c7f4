// What the server says about the text in the editor. Asked a moment after the last key; the newest answer wins, and an
// older question is called off.

import { createClient } from "@connectrpc/connect";
import { useEffect, useState } from "react";
import { PolicyService, type ValidatePolicyResponse } from "../../../gen/policyguard/control/v1/policy_service_pb.ts";
import { documentOf } from "../../data/document.ts";
import { failureOf } from "../../data/failure.ts";
import { transport } from "../../data/transport.ts";
import type { EditorProblem } from "../../editor/problem.ts";

const policies = createClient(PolicyService, transport);
/** Rest after the last key before the server is asked. */
const restMs = 300;
/** Rest after a question that got no answer: the server is busy, or gone for a moment. */
const againMs = 2_000;

/** The last answer, and whether it is about the present text. */
export interface Check {
  readonly answer: ValidatePolicyResponse | undefined;
  readonly problems: readonly EditorProblem[];
  readonly state: "checking" | "valid" | "invalid" | "unknown";
  /** Asks once more, about the same text. */
  readonly again: () => void;
}

/** Checks a text whenever it changes. */
export function useCheck(orgId: string, text: string): Check {
  const [checked, setChecked] = useState<{
    readonly text: string;
    readonly answer: ValidatePolicyResponse | undefined;
  }>();
  const [round, setRound] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a further round asks about the same text
  useEffect(() => {
    const call = new AbortController();
    const ask = () => {
      policies
        .validatePolicy({ orgId, document: documentOf(text) }, { signal: call.signal })
        .then((answer) => setChecked({ text, answer }))
        .catch((error: unknown) => {
          // Without an answer, the text is neither valid nor invalid.
          if (call.signal.aborted || failureOf(error).kind === "signed_out") return;
          setChecked({ text, answer: undefined });
          timer = setTimeout(ask, againMs);
        });
    };
    let timer = setTimeout(ask, restMs);
    return () => {
      clearTimeout(timer);
      call.abort();
    };
  }, [orgId, text, round]);
  const answer = checked?.answer;
  const isCurrent = checked?.text === text;
  const state = !isCurrent ? "checking" : answer === undefined ? "unknown" : answer.valid ? "valid" : "invalid";
  const [problems, setProblems] = useState<readonly EditorProblem[]>([]);
  useEffect(() => setProblems(answer?.problems.map(problemOf) ?? []), [answer]);
  const again = () => {
    setChecked(undefined);
    setRound(round + 1);
  };
  return { answer, problems, state, again };
}

function problemOf({ line, column, message, suggestion, severity }: ValidatePolicyResponse["problems"][number]) {
  const text = suggestion === undefined ? message : `${message}; ${suggestion}`;
  const suggested = /^did you mean "([^"]+)"\?$/.exec(suggestion ?? "")?.[1];
  return { line, column, text, suggested, isWarning: severity !== "error" };
}

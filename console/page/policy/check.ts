// What the server says about the text in the editor. Asked a moment after the last key, and about the text's own tests,
// which take longer, after a rest; the newest answer wins, and an older question is called off.

import { createClient } from "@connectrpc/connect";
import { useEffect, useRef, useState } from "react";
import { PolicyService, type ValidatePolicyResponse } from "../../../gen/policyguard/control/v1/policy_service_pb.ts";
import { documentOf } from "../../data/document.ts";
import { failureOf } from "../../data/failure.ts";
import { transport } from "../../data/transport.ts";
import type { EditorProblem } from "../../editor/problem.ts";

const policies = createClient(PolicyService, transport);
/** Rest after the last key before the server is asked. */
const restMs = 300;
/** How much longer the rest is before the tests run. */
const testRestMs = 1_200;
/** Rest after a question that got no answer: the server is busy, or gone for a moment. */
const againMs = 2_000;

/** The last answer, and whether it is about the present text. */
export interface Check {
  readonly answer: ValidatePolicyResponse | undefined;
  readonly problems: readonly EditorProblem[];
  /** How the tests came out when they last ran. */
  readonly tests: ValidatePolicyResponse["tests"];
  readonly state: "checking" | "testing" | "valid" | "invalid" | "unknown";
  /** Why the last question got no answer; undefined when it got one. */
  readonly error: unknown;
  /** Checks the same text once more, and runs its tests at once. */
  readonly again: () => void;
}

/** Checks a text whenever it changes. */
export function useCheck(orgId: string, text: string): Check {
  const [checked, setChecked] = useState<{
    readonly text: string;
    readonly answer: ValidatePolicyResponse | undefined;
    readonly error?: unknown;
  }>();
  const [tested, setTested] = useState<{ readonly text: string; readonly tests: ValidatePolicyResponse["tests"] }>();
  const [round, setRound] = useState(0);
  const isUrgent = useRef(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a further round asks about the same text
  useEffect(() => {
    const call = new AbortController();
    const ask = (skipTests: boolean) => {
      policies
        .validatePolicy({ orgId, document: documentOf(text), skipTests }, { signal: call.signal })
        .then((answer) => {
          setChecked({ text, answer });
          if (!skipTests || hasNoTests(answer)) setTested({ text, tests: answer.tests });
          else if (answer.valid) timer = setTimeout(ask, testRestMs, false);
        })
        .catch((error: unknown) => {
          // Without an answer, the text is neither valid nor invalid.
          if (call.signal.aborted || failureOf(error).kind === "signed_out") return;
          setChecked({ text, answer: undefined, error });
          timer = setTimeout(ask, againMs, skipTests);
        });
    };
    let timer = isUrgent.current ? setTimeout(ask, 0, false) : setTimeout(ask, restMs, true);
    isUrgent.current = false;
    return () => {
      clearTimeout(timer);
      call.abort();
    };
  }, [orgId, text, round]);
  const answer = checked?.answer;
  const [problems, setProblems] = useState<readonly EditorProblem[]>([]);
  useEffect(() => setProblems(answer?.problems.map(problemOf) ?? []), [answer]);
  const again = () => {
    isUrgent.current = true;
    setChecked(undefined);
    setRound(round + 1);
  };
  const state = stateOf(answer, { isCurrent: checked?.text === text, isTested: tested?.text === text });
  return { answer, problems, tests: tested?.tests ?? [], state, error: checked?.error, again };
}

function stateOf(
  answer: ValidatePolicyResponse | undefined,
  { isCurrent, isTested }: { readonly isCurrent: boolean; readonly isTested: boolean },
): Check["state"] {
  if (!isCurrent) return "checking";
  if (answer === undefined) return "unknown";
  if (!answer.valid) return "invalid";
  return isTested ? "valid" : "testing";
}

function hasNoTests({ document }: ValidatePolicyResponse): boolean {
  const tests = document?.tests ?? [];
  return document !== undefined && Array.isArray(tests) && tests.length === 0;
}

function problemOf(problem: ValidatePolicyResponse["problems"][number]): EditorProblem {
  const { line, column, endLine, endColumn, message, suggestion, severity } = problem;
  const end = { line: endLine, column: endColumn };
  const text = suggestion === undefined ? message : `${message}; ${suggestion}`;
  const suggested = /^did you mean "([^"]+)"\?$/.exec(suggestion ?? "")?.[1];
  return { line, column, end, text, suggested, isWarning: severity !== "error" };
}

// What a contract is: the calls that ask a backend about some texts, and how their answers are read.

import type { BackendFinding, BackendReference } from "../../engine/backend/backend.ts";

/** What the calls of a contract depend on besides the texts. */
export type AskedBackend = Pick<BackendReference, "model" | "meanings">;

/** One call. */
export interface ContractCall {
  readonly body: object;
  /** The findings of each text, in order. Throws AnswerInvalid. */
  readonly read: (answer: unknown) => BackendFinding[][];
}

/** One contract. */
export interface Contract {
  /** Max texts that are asked about together. */
  readonly batch: number;
  /** Max bytes of an answer; absent for those whose answers grow with the texts. */
  readonly answerBytes?: number;
  readonly headers?: (reference: BackendReference) => Readonly<Record<string, string>>;
  /** The calls about at most `batch` texts. What any of them finds is found. */
  readonly calls: (texts: readonly string[], backend: AskedBackend) => readonly ContractCall[];
}

/** A contract that asks about all texts in one call. */
export interface OneCallContract extends Omit<Contract, "calls"> {
  readonly body: (texts: readonly string[], backend: AskedBackend) => object;
  readonly read: (answer: unknown, texts: readonly string[]) => BackendFinding[][];
}

/** The contract in the general form. */
export function inOneCall({ body, read, ...rest }: OneCallContract): Contract {
  return {
    ...rest,
    calls: (texts, backend) => [{ body: body(texts, backend), read: (answer) => read(answer, texts) }],
  };
}

/** What all calls found in each of `count` texts. */
export function together(answers: readonly (readonly BackendFinding[][])[], count: number): BackendFinding[][] {
  return Array.from({ length: count }, (_, at) => answers.flatMap((answer) => answer[at] ?? []));
}

// What the tests of signing in share: calls by name, each from an address of its own.

import type { JsonObject } from "@bufbuild/protobuf";
import type { TestControlPlane } from "../../harness/process/control-plane.ts";
import { somewhere } from "../../harness/vector/account-step.ts";
import type { TestAnswer } from "../../harness/vector/dialect.ts";

/** A call of AccountService over REST. */
export interface AccountCall {
  readonly token?: string;
  readonly address?: string;
}

/** Calls a method of AccountService. */
export function callAccount(
  plane: TestControlPlane,
  method: string,
  request: JsonObject,
  { token, address }: AccountCall = {},
): Promise<TestAnswer> {
  const headers = address === undefined ? somewhere() : { "x-forwarded-for": address };
  return plane.caller.call("rest", { method: `AccountService/${method}`, request, token, headers });
}

/** How often each status came. */
export function tally(answers: readonly TestAnswer[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

/** The member of an answer that is an object, such as its tokens. */
export function memberOf(answer: TestAnswer, name: string): Record<string, string> {
  return (answer.body as Record<string, Record<string, string>>)[name] ?? {};
}

// A policy as it is parsed for tests.

import { parsePolicy } from "../../../../runtime/engine/policy/parse.ts";
import { sampleKit } from "../sample-detectors.ts";

/** Parses a policy that may use the detectors of tests. */
export const parse = (source: string) => parsePolicy(source, sampleKit.definitions);
/** What is wrong with a policy, a line for each problem. */
export const at = (source: string) =>
  parse(source).problems.map(({ line, column, path, message, suggestion, severity }) =>
    [severity === "error" ? "E" : "W", `${line}:${column}`, path, message, suggestion ?? ""].join(" | "),
  );

/** A policy with which nothing is wrong. */
export const valid = `apiVersion: policyguard/v1
kind: Policy
metadata: {name: p}
rules:
  - {id: a, stages: [input], detect: secrets, action: BLOCK}
tests:
  - {name: t, text: KEY-1, expect: {outcome: BLOCK}}
`;

// Policies for tests of the engine, written in few words.

import { ask, engineOf } from "./sample-engine.ts";

/** A policy with these rules, each the members of a YAML object. */
export const rules = (...lines: string[]) => `rules:\n${lines.map((line) => `  - {${line}}\n`).join("")}`;
/** A policy with a name. */
export const named = (name: string, body: string) => `metadata: {name: ${name}}\n${body}`;
/** The evaluation of a text by a policy. */
export const outcomeOf = (policy: string, text: string) => ask(engineOf([policy]), { text }).response.outcome;

/** Blocks what `secrets` finds in an input. */
export const block = rules("id: key, stages: [input], detect: secrets, action: BLOCK");

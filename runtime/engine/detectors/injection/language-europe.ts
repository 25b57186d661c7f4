// Rules for European languages.

import type { Rule } from "./rule.ts";

/** The rules. */
export const europeanRules: readonly Rule[] = [];

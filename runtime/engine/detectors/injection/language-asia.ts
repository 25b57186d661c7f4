// Rules for Asian languages.

import type { Rule } from "./rule.ts";

/** The rules. */
export const asianRules: readonly Rule[] = [];

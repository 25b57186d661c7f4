// Injection rules in English.

import type { InjectionLanguage } from "../injection-part.ts";
import { directRules } from "./injection/direct.ts";
import { frameRules } from "./injection/frame.ts";
import { indirectRules } from "./injection/indirect.ts";
import { instructionRules } from "./injection/instruction.ts";
import { jailbreakRules } from "./injection/jailbreak.ts";
import { orderRules } from "./injection/order.ts";
import { withWords } from "./injection/word.ts";

/** Attacks in English. */
export const injection: InjectionLanguage = {
  rules: [...instructionRules, ...directRules, ...jailbreakRules, ...orderRules, ...indirectRules, ...frameRules].map(
    withWords,
  ),
};

// Injection rules in English.

import type { InjectionLanguage } from "../injection-part.ts";
import { directRules } from "./injection/direct.ts";
import { frameRules } from "./injection/frame.ts";
import { indirectRules } from "./injection/indirect.ts";
import { instructionRules } from "./injection/instruction.ts";
import { jailbreakRules } from "./injection/jailbreak.ts";
import { orderRules } from "./injection/order.ts";
import { plantedRules } from "./injection/planted.ts";
import { pretextRules } from "./injection/pretext.ts";
import { switchRules } from "./injection/switch.ts";
import { withWords } from "./injection/word.ts";

/** Attacks in English. */
export const injection: InjectionLanguage = {
  rules: [
    ...instructionRules,
    ...directRules,
    ...jailbreakRules,
    ...orderRules,
    ...indirectRules,
    ...frameRules,
    ...plantedRules,
    ...pretextRules,
    ...switchRules,
  ].map(withWords),
  mixed: {
    verbs: "first",
    drop: "(?:abeg |oya |make you |biko |eh |aiyo )?(?:forget|throway|comot|leave|no (?:follow|mind|hear)|dont? follow|ignore|heck care|bo ?chup)(?: am| liao| leh| lah| ah)?",
    rules:
      "(?:all )?(?:di|dis|dem|dat|those|ur|dia) (?:old |former |before |first )?(?:rules?|instructions?|order|law|prompt|talk)(?: dem)? (?:wey|wen|dem|lah|liao|leh|one|before|dat dem)|all (?:di |dem |dose )?(?:rules?|instructions?) (?:wey|wen|dem|lah|liao|leh)",
    show: "(?:abeg |oya )?(?:yarn|bring) (?:me|come)",
    secret:
      "(?:di|dis|ur|all di) (?:[a-z]+ )?(?:prompt|instructions?|rules?|secret|hidden)[a-z ]{0,12} (?:wey|wen|dem|lah|leh|liao|sia)",
    become: "na (?:only )?me|from (?:now|today)(?: on)?,? (?:you go|na)|only me",
    free: "you go (?:hear|follow|obey|answer)|no (?:rule|law|limit|filter)[a-z]* (?:dey|again|liao|lah)|listen (?:to )?(?:me|lah)",
  },
};

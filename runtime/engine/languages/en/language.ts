// English.

import type { Language } from "../language.ts";
import { englishConcepts } from "./content-safety.ts";
import { injection } from "./injection.ts";
import { phone } from "./phone.ts";
import { profanity } from "./profanity.ts";
import { selfHarm } from "./self-harm.ts";
import { toxicity } from "./toxicity.ts";

/** The parts of English for the detectors. */
export const english: Language = {
  tag: "en",
  contentSafety: englishConcepts,
  injection,
  phone,
  profanity,
  selfHarm,
  toxicity,
};

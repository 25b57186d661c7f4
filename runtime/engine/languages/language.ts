// A language as the detectors know it.

import type { ConceptWords } from "./content-safety-part.ts";
import type { InjectionLanguage } from "./injection-part.ts";
import type { PhoneLanguage } from "./phone-part.ts";
import type { ProfanityLanguage } from "./profanity-part.ts";
import type { RiskSentence } from "./self-harm-part.ts";
import type { ToxicityLanguage } from "./toxicity-part.ts";

/** A language with everything that was written for it. */
export interface Language {
  /** BCP 47 tag, by which policies name it. */
  readonly tag: string;
  readonly contentSafety?: ConceptWords;
  readonly injection?: InjectionLanguage;
  readonly phone?: PhoneLanguage;
  readonly profanity?: ProfanityLanguage;
  readonly selfHarm?: readonly RiskSentence[];
  readonly toxicity?: ToxicityLanguage;
}

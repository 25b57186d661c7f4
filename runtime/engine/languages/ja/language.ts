// Japanese.

import type { Language } from "../language.ts";
import { injection } from "./injection.ts";
import { phone } from "./phone.ts";
import { profanity } from "./profanity.ts";
import { selfHarm } from "./self-harm.ts";
import { toxicity } from "./toxicity.ts";

/** The parts of Japanese for the detectors. */
export const japanese: Language = { tag: "ja", injection, phone, profanity, selfHarm, toxicity };

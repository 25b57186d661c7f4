// German.

import type { Language } from "../language.ts";
import { injection } from "./injection.ts";
import { phone } from "./phone.ts";
import { profanity } from "./profanity.ts";
import { selfHarm } from "./self-harm.ts";
import { toxicity } from "./toxicity.ts";

/** The parts of German for the detectors. */
export const german: Language = { tag: "de", injection, phone, profanity, selfHarm, toxicity };

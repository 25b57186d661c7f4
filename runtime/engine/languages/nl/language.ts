// Dutch.

import type { Language } from "../language.ts";
import { injection } from "./injection.ts";
import { phone } from "./phone.ts";
import { profanity } from "./profanity.ts";
import { selfHarm } from "./self-harm.ts";
import { toxicity } from "./toxicity.ts";

/** The parts of Dutch for the detectors. */
export const dutch: Language = { tag: "nl", injection, phone, profanity, selfHarm, toxicity };

// Arabic.

import type { Language } from "../language.ts";
import { injection } from "./injection.ts";
import { phone } from "./phone.ts";
import { profanity } from "./profanity.ts";
import { selfHarm } from "./self-harm.ts";
import { toxicity } from "./toxicity.ts";

/** The parts of Arabic for the detectors. */
export const arabic: Language = { tag: "ar", injection, phone, profanity, selfHarm, toxicity };

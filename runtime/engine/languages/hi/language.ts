// Hindi.

import type { Language } from "../language.ts";
import { injection } from "./injection.ts";
import { phone } from "./phone.ts";
import { profanity } from "./profanity.ts";
import { selfHarm } from "./self-harm.ts";
import { toxicity } from "./toxicity.ts";

/** The parts of Hindi for the detectors. */
export const hindi: Language = { tag: "hi", injection, phone, profanity, selfHarm, toxicity };

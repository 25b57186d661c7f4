// Russian.

import type { Language } from "../language.ts";
import { injection } from "./injection.ts";
import { phone } from "./phone.ts";
import { profanity } from "./profanity.ts";
import { selfHarm } from "./self-harm.ts";
import { toxicity } from "./toxicity.ts";

/** The parts of Russian for the detectors. */
export const russian: Language = { tag: "ru", injection, phone, profanity, selfHarm, toxicity };

// Filipino.

import type { Language } from "../language.ts";
import { injection } from "./injection.ts";
import { phone } from "./phone.ts";
import { profanity } from "./profanity.ts";

/** The parts of Filipino for the detectors. */
export const filipino: Language = { tag: "fil", injection, phone, profanity };

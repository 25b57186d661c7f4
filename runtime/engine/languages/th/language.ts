// Thai.

import type { Language } from "../language.ts";
import { injection } from "./injection.ts";
import { phone } from "./phone.ts";
import { profanity } from "./profanity.ts";

/** The parts of Thai for the detectors. */
export const thai: Language = { tag: "th", injection, phone, profanity };

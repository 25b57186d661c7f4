// Norwegian.

import type { Language } from "../language.ts";
import { injection } from "./injection.ts";
import { phone } from "./phone.ts";
import { profanity } from "./profanity.ts";

/** The parts of Norwegian for the detectors. */
export const norwegian: Language = { tag: "no", injection, phone, profanity };

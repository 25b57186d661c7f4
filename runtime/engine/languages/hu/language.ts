// Hungarian.

import type { Language } from "../language.ts";
import { injection } from "./injection.ts";
import { phone } from "./phone.ts";
import { profanity } from "./profanity.ts";

/** The parts of Hungarian for the detectors. */
export const hungarian: Language = { tag: "hu", injection, phone, profanity };

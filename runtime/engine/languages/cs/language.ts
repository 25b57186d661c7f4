// Czech.

import type { Language } from "../language.ts";
import { injection } from "./injection.ts";
import { phone } from "./phone.ts";
import { profanity } from "./profanity.ts";

/** The parts of Czech for the detectors. */
export const czech: Language = { tag: "cs", injection, phone, profanity };

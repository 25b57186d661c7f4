// Danish.

import type { Language } from "../language.ts";
import { injection } from "./injection.ts";
import { phone } from "./phone.ts";
import { profanity } from "./profanity.ts";

/** The parts of Danish for the detectors. */
export const danish: Language = { tag: "da", injection, phone, profanity };

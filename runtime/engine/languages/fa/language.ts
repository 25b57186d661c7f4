// Persian.

import type { Language } from "../language.ts";
import { injection } from "./injection.ts";
import { phone } from "./phone.ts";
import { profanity } from "./profanity.ts";

/** The parts of Persian for the detectors. */
export const persian: Language = { tag: "fa", injection, phone, profanity };

// Swedish.

import type { Language } from "../language.ts";
import { injection } from "./injection.ts";
import { phone } from "./phone.ts";
import { profanity } from "./profanity.ts";
import { selfHarm } from "./self-harm.ts";

/** The parts of Swedish for the detectors. */
export const swedish: Language = { tag: "sv", injection, phone, profanity, selfHarm };

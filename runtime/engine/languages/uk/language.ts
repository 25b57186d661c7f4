// Ukrainian.

import type { Language } from "../language.ts";
import { injection } from "./injection.ts";
import { phone } from "./phone.ts";
import { profanity } from "./profanity.ts";
import { selfHarm } from "./self-harm.ts";

/** The parts of Ukrainian for the detectors. */
export const ukrainian: Language = { tag: "uk", injection, phone, profanity, selfHarm };

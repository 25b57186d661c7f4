// Finnish.

import type { Language } from "../language.ts";
import { injection } from "./injection.ts";
import { phone } from "./phone.ts";
import { profanity } from "./profanity.ts";
import { selfHarm } from "./self-harm.ts";

/** The parts of Finnish for the detectors. */
export const finnish: Language = { tag: "fi", injection, phone, profanity, selfHarm };

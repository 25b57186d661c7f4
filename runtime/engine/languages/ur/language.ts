// Urdu.

import type { Language } from "../language.ts";
import { injection } from "./injection.ts";
import { phone } from "./phone.ts";

/** The parts of Urdu for the detectors. */
export const urdu: Language = { tag: "ur", injection, phone };

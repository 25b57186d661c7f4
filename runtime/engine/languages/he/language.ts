// Hebrew.

import type { Language } from "../language.ts";
import { injection } from "./injection.ts";
import { phone } from "./phone.ts";

/** The parts of Hebrew for the detectors. */
export const hebrew: Language = { tag: "he", injection, phone };

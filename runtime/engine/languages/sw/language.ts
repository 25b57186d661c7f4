// Swahili.

import type { Language } from "../language.ts";
import { injection } from "./injection.ts";
import { phone } from "./phone.ts";

/** The parts of Swahili for the detectors. */
export const swahili: Language = { tag: "sw", injection, phone };

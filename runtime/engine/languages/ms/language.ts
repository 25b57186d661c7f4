// Malay.

import type { Language } from "../language.ts";
import { injection } from "./injection.ts";
import { phone } from "./phone.ts";

/** The parts of Malay for the detectors. */
export const malay: Language = { tag: "ms", injection, phone };

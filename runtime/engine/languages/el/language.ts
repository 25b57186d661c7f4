// Greek.

import type { Language } from "../language.ts";
import { injection } from "./injection.ts";
import { phone } from "./phone.ts";

/** The parts of Greek for the detectors. */
export const greek: Language = { tag: "el", injection, phone };

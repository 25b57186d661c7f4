// Tamil.

import type { Language } from "../language.ts";
import { injection } from "./injection.ts";
import { phone } from "./phone.ts";

/** The parts of Tamil for the detectors. */
export const tamil: Language = { tag: "ta", injection, phone };

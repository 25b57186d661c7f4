// Vietnamese.

import type { Language } from "../language.ts";
import { injection } from "./injection.ts";
import { phone } from "./phone.ts";

/** The parts of Vietnamese for the detectors. */
export const vietnamese: Language = { tag: "vi", injection, phone };

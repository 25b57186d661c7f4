// Bengali.

import type { Language } from "../language.ts";
import { injection } from "./injection.ts";
import { phone } from "./phone.ts";

/** The parts of Bengali for the detectors. */
export const bengali: Language = { tag: "bn", injection, phone };

// Indonesian.

import type { Language } from "../language.ts";
import { injection } from "./injection.ts";
import { phone } from "./phone.ts";

/** The parts of Indonesian for the detectors. */
export const indonesian: Language = { tag: "id", injection, phone };

// Slovenian.

import type { Language } from "../language.ts";
import { phone } from "./phone.ts";

/** The parts of Slovenian for the detectors. */
export const slovenian: Language = { tag: "sl", phone };

// Croatian.

import type { Language } from "../language.ts";
import { phone } from "./phone.ts";

/** The parts of Croatian for the detectors. */
export const croatian: Language = { tag: "hr", phone };

// Serbian.

import type { Language } from "../language.ts";
import { phone } from "./phone.ts";

/** The parts of Serbian for the detectors. */
export const serbian: Language = { tag: "sr", phone };

// Bulgarian.

import type { Language } from "../language.ts";
import { phone } from "./phone.ts";

/** The parts of Bulgarian for the detectors. */
export const bulgarian: Language = { tag: "bg", phone };

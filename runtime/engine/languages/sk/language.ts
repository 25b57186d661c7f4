// Slovak.

import type { Language } from "../language.ts";
import { phone } from "./phone.ts";

/** The parts of Slovak for the detectors. */
export const slovak: Language = { tag: "sk", phone };

// Romanian.

import type { Language } from "../language.ts";
import { injection } from "./injection.ts";
import { phone } from "./phone.ts";

/** The parts of Romanian for the detectors. */
export const romanian: Language = { tag: "ro", injection, phone };

// The enums of languages by their names, and categories as people read them.

import {
  type CoverageState,
  CoverageStateSchema,
  type LanguageTrust,
  LanguageTrustSchema,
} from "../../../gen/policyguard/control/v1/language_pb.ts";
import { wireNames } from "../../data/wire-name.ts";

/** How well a pack is known to work. */
export const trustNames = wireNames<LanguageTrust>(LanguageTrustSchema);
/** Whether a category is known to work in a language. */
export const coverageNames = wireNames<CoverageState>(CoverageStateSchema);

/** "self harm" for "self_harm". */
export function categoryTitle(category: string): string {
  return category.replace(/[_-]/g, " ");
}

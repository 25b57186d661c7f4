// The part of a language for recognising phone numbers.

import type { CountryCode } from "libphonenumber-js/max";

/** The words of a language around phone numbers, as sources of patterns. */
export interface PhoneLanguage {
  /**
   * Regions of its numbers without a country code, as far as its words identify them: neighbouring languages that share
   * words have the same regions. A separate script identifies regions without words.
   */
  readonly regions?: readonly CountryCode[];
  /** Labels directly before a number, as in a form: names of phones and of their numbers. */
  readonly names?: string;
  /** Words in the sentence of a number, such as what people do with it. */
  readonly calls: string;
  /** Whether its words occur within other words, or with letters attached before them. */
  readonly isJoined?: boolean;
}

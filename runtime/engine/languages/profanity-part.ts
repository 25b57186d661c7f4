// The part of a language for the detector "profanity".

/** Coarse words of a language. */
export interface ProfanityLanguage {
  /** The list of the package naughty-words, unchanged. */
  readonly list?: readonly string[];
  /**
   * Terms of the lists that are not findings: everyday words of some language, neutral words of the body, of medicine
   * and of crime, words that are coarse in one sense or one language only, idioms, names. They apply to the lists of
   * all languages.
   */
  readonly everyday?: readonly string[];
  /** Terms that the list lacks, or that are too short to be taken from it unreviewed. */
  readonly more?: readonly string[];
  /** Spellings that people read and filters miss. */
  readonly masked?: readonly string[];
  /** An article that is joined to the word. */
  readonly article?: string;
}

// The part of a language for the detector "toxicity".

/** A sentence that threatens, insults or degrades people. */
export interface ToxicSentence {
  /** Last part of the category, such as "threat". */
  readonly kind: string;
  /** The score of one match, 0 to 1. */
  readonly score: number;
  readonly pattern: string;
}

/** The words of a language, as sources of patterns. */
export interface ContemptWords {
  /** Groups of people. */
  readonly groups: string;
  /** Words of contempt for a group. */
  readonly contempt: string;
  /** The text between a group and that word, with the spaces around it. */
  readonly are: string;
  /** Hatred of what follows, with the words that lead to it. */
  readonly hate?: string;
  /** Hatred of what precedes. */
  readonly hateBehind?: string;
  /** What is wished upon a group, after its name. */
  readonly fate: string;
  /** The person addressed or mentioned in an insult, with the words before the insult. */
  readonly you: string;
  /** Insults after `you`. */
  readonly insults: string;
  /** Insults, threats and curses that are complete by themselves. */
  readonly curses?: string;
  readonly threats: string;
  /** Words before or within a sentence that deny it. */
  readonly denial: RegExp;
  /** Words that report or condemn a sentence: a person who quotes an insult does not say it. */
  readonly report: RegExp;
}

/** Threats, insults and contempt in a language. */
export interface ToxicityLanguage {
  readonly sentences?: readonly ToxicSentence[];
  readonly contempt?: ContemptWords;
  /**
   * Slurs against groups of people. A detector has to name them; the list contains only words without another use in
   * any language, since a slur of one language is an ordinary word in another.
   */
  readonly slurs?: readonly string[];
}

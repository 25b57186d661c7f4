// The part of a language for the detector "injection".

/** One rule. */
export interface Rule {
  /** Last part of the category. */
  readonly family: string;
  /** The evidence of one match, 0 to 1. */
  readonly weight: number;
  /** Whether it counts only in documents and results of tools, where nobody has instructions to give. */
  readonly inDocuments?: boolean;
  readonly pattern: string;
  readonly caseSensitive?: boolean;
}

/**
 * Alternatives of patterns: verbs that ask for a text, names of the operator's text, and words that say that rules have
 * ended.
 */
export interface Prompts {
  readonly show: string;
  readonly told: string;
  readonly ends: string;
}

/** The words of a language, as alternatives of a pattern. */
export interface Wording {
  /** Verbs that drop rules. */
  readonly drop: string;
  /** Names of the operator's rules that fit no other rules. */
  readonly rules: string;
  /** Verbs that show a text. */
  readonly show: string;
  /** Names of the operator's hidden text that fit no other text. */
  readonly secret: string;
  /** Words that introduce a role. */
  readonly become: string;
  /** Words that say that a role has no rules. */
  readonly free: string;
  /** Whether verbs precede or follow their object. */
  readonly verbs: "first" | "last" | "either";
  /** Whether the language writes words without spaces. */
  readonly isUnspaced?: boolean;
}

/**
 * The orders of a language: alternatives of a pattern, in which "…" matches up to 40 characters of the same sentence.
 */
export interface Orders {
  /** Tells the model to drop what was said before, or the rules above. */
  readonly forget: string;
  /** Tells the model to obey only the writer. */
  readonly obey: string;
  /** Asks for the text above verbatim, or for the hidden instructions. */
  readonly recite: string;
  /** Switches on a developer mode at the beginning of a message, with context that excludes devices. */
  readonly mode: string;
  /** Introduces a role whose name or nature has no rules. */
  readonly persona: string;
  /** Forbids refusals or warnings. */
  readonly refuse: string;
  /** Addresses a model from within a document. */
  readonly indirect: string;
  /** Tells the model to decode a text and obey it. */
  readonly decode: string;
  /** Whether the language writes words without spaces. */
  readonly isUnspaced?: boolean;
}

/**
 * The framings of a language: alternatives of a pattern, in which "…" matches up to 40 characters of the same sentence.
 */
export interface Frames {
  /** Claims that the model's initial instructions have ended. */
  readonly ended: string;
  /** Asks for the text before the conversation. */
  readonly before: string;
  /** Claims that the moderation or ethics of the model are switched off. */
  readonly off: string;
  /** A relative who used to explain how to make something forbidden. */
  readonly relative: string;
  /** Claims that the writer has authority over the model's makers. */
  readonly maker: string;
  /** Claims that the model has lost its memory, or loses points when it refuses. */
  readonly wiped: string;
  /** An artificial intelligence without restrictions. */
  readonly unchained: string;
  /** Whether the language writes words without spaces. */
  readonly isUnspaced?: boolean;
}

/** Attacks in a language: complete rules, and words from which rules are made. */
export interface InjectionLanguage {
  readonly rules?: readonly Rule[];
  readonly prompts?: Prompts;
  readonly wording?: Wording;
  /** The language in Latin letters where it has others, and mixed with English words. `{rules}` and `{secret}` are those. */
  readonly mixed?: Wording;
  readonly orders?: Orders;
  readonly frames?: Frames;
}

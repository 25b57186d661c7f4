// The concepts of content safety in the words of a language.

/**
 * What words stand for, as far as it matters for wishes to do harm: what is wanted ("make", "buy", "hide"), the means,
 * the victims, and what makes the same words innocent.
 */
export const concepts = [
  // What is wanted.
  ...["wish", "make", "get", "sell", "use", "hide", "break", "steal", "kill", "hurt", "fake", "trick", "write"],
  ...["spy", "spread", "attack", "evade", "share", "force", "destroy"],
  // What it is done with, and what it is about.
  ...[
    "drug",
    "medicine",
    "weapon",
    "explosive",
    "poison",
    "malware",
    "crime",
    "fraud",
    "sex",
    "body",
    "minor",
    "young",
  ],
  ...["slur", "insult", "selfHarm", "secretly", "illegal", "extremism", "gore", "law", "police"],
  ...["money", "document", "account", "device", "data", "place", "regulated"],
  // To whom it is done.
  ...["me", "mine", "other", "victim", "group", "public"],
  // What makes it innocent.
  ...["prevent", "learn", "fiction", "game", "code", "food", "animal", "health", "craft", "figure", "ask", "not"],
] as const;

/** A concept. */
export type Concept = (typeof concepts)[number];

/** The words of each concept, in small letters, separated by spaces; "smuggl*" stands for all words that begin so. */
export type ConceptWords = Readonly<Partial<Record<Concept, string>>>;

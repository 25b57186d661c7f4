// Three kinds of `tokenizer.json` over the same words, and what each makes of a text: written down a second time here,
// from the papers, so that tests do not ask the library what is right.

/** The kinds of tokenizers that classifiers come with. */
export const tokenizerKinds = ["wordpiece", "bpe", "unigram"] as const;
/** A kind of tokenizer. */
export type TokenizerKind = (typeof tokenizerKinds)[number];

/** A tokenizer, its file and its own opinion of texts of lower-case words. */
export interface TinyTokenizer {
  readonly json: object;
  /** The tokens, in the order of their ids. */
  readonly vocabulary: readonly string[];
  /** The ids of a text, special ones included. */
  readonly idsOf: (text: string) => number[];
}

const letters = [..."abcdefghijklmnopqrstuvwxyz"];

/** The tokenizer of a kind that knows these words whole, and spells the others. */
export function tinyTokenizer(kind: TokenizerKind, words: readonly string[]): TinyTokenizer {
  const make = { wordpiece, bpe, unigram }[kind];
  return make(words);
}

function wordsOf(text: string): string[] {
  return text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
}

/** WordPiece (BERT): the longest token that fits, again and again. */
function wordpiece(words: readonly string[]): TinyTokenizer {
  const vocabulary = [
    ...["[PAD]", "[UNK]", "[CLS]", "[SEP]"],
    ...letters,
    ...letters.map((letter) => `##${letter}`),
    ...words,
  ];
  const id = idIn(vocabulary);
  const pieces = (word: string): number[] => {
    const found: number[] = [];
    for (let at = 0; at < word.length; ) {
      let end = word.length;
      const token = () => (at === 0 ? "" : "##") + word.slice(at, end);
      while (end > at && !vocabulary.includes(token())) end--;
      if (end === at) return [id("[UNK]")];
      found.push(id(token()));
      at = end;
    }
    return found;
  };
  return {
    vocabulary,
    idsOf: (text) => [id("[CLS]"), ...wordsOf(text).flatMap(pieces), id("[SEP]")],
    json: {
      ...frame(["[PAD]", "[UNK]", "[CLS]", "[SEP]"], id),
      normalizer: { type: "BertNormalizer", clean_text: true, handle_chinese_chars: true, lowercase: true },
      pre_tokenizer: { type: "BertPreTokenizer" },
      post_processor: template("[CLS]", "[SEP]", id),
      model: {
        type: "WordPiece",
        unk_token: "[UNK]",
        continuing_subword_prefix: "##",
        max_input_chars_per_word: 100,
        vocab: vocabOf(vocabulary),
      },
    },
  };
}

/** Byte-level BPE (GPT-2): of all neighbours that may merge, those of the lowest rank first. */
function bpe(words: readonly string[]): TinyTokenizer {
  const space = "Ġ";
  const merges: [string, string][] = [];
  const merged = new Set<string>();
  for (const word of words) {
    let left = space;
    for (const letter of word) {
      if (!merged.has(left + letter)) merges.push([left, letter]);
      left += letter;
      merged.add(left);
    }
  }
  const vocabulary = ["<pad>", "<s>", "</s>", "<unk>", space, ...letters, ...merged];
  const id = idIn(vocabulary);
  const rankOf = new Map(merges.map((pair, rank) => [pair.join(" "), rank]));
  const pieces = (word: string): number[] => {
    const parts = [space, ...word];
    while (true) {
      const ranks = parts.slice(1).map((part, at) => rankOf.get(`${parts[at]} ${part}`) ?? Number.POSITIVE_INFINITY);
      const best = Math.min(...ranks);
      if (best === Number.POSITIVE_INFINITY) return parts.map(id);
      const at = ranks.indexOf(best);
      parts.splice(at, 2, `${parts[at]}${parts[at + 1]}`);
    }
  };
  return {
    vocabulary,
    idsOf: (text) => [id("<s>"), ...wordsOf(text).flatMap(pieces), id("</s>")],
    json: {
      ...frame(["<pad>", "<s>", "</s>", "<unk>"], id),
      normalizer: { type: "Lowercase" },
      pre_tokenizer: { type: "ByteLevel", add_prefix_space: true, trim_offsets: true, use_regex: true },
      post_processor: template("<s>", "</s>", id),
      model: {
        type: "BPE",
        unk_token: "<unk>",
        vocab: vocabOf(vocabulary),
        merges: merges.map((pair) => pair.join(" ")),
      },
    },
  };
}

/** Unigram (SentencePiece): the split whose tokens are likeliest together. */
function unigram(words: readonly string[]): TinyTokenizer {
  const space = "▁";
  const special = ["<pad>", "<s>", "</s>", "<unk>"];
  const scored: [string, number][] = [
    ...special.map((token): [string, number] => [token, 0]),
    ...[space, ...letters].map((token): [string, number] => [token, -10]),
    ...words.map((word): [string, number] => [space + word, -4]),
  ];
  const vocabulary = scored.map(([token]) => token);
  const id = idIn(vocabulary);
  const scoreOf = new Map(scored.slice(special.length));
  const pieces = (word: string): number[] => {
    const text = space + word;
    const best: ({ readonly score: number; readonly tokens: readonly string[] } | undefined)[] = [
      { score: 0, tokens: [] },
    ];
    for (let end = 1; end <= text.length; end++) {
      for (let start = 0; start < end; start++) {
        const before = best[start];
        const token = text.slice(start, end);
        const own = scoreOf.get(token);
        if (before === undefined || own === undefined) continue;
        const score = before.score + own;
        if (score > (best[end]?.score ?? Number.NEGATIVE_INFINITY))
          best[end] = { score, tokens: [...before.tokens, token] };
      }
    }
    return (best[text.length]?.tokens ?? []).map(id);
  };
  return {
    vocabulary,
    idsOf: (text) => [id("<s>"), ...wordsOf(text).flatMap(pieces), id("</s>")],
    json: {
      ...frame(special, id),
      normalizer: { type: "Lowercase" },
      pre_tokenizer: { type: "Metaspace", replacement: space, prepend_scheme: "always", split: true },
      post_processor: template("<s>", "</s>", id),
      model: { type: "Unigram", unk_id: 3, vocab: scored },
    },
  };
}

function idIn(vocabulary: readonly string[]): (token: string) => number {
  const ids = new Map(vocabulary.map((token, index) => [token, index]));
  return (token) => ids.get(token) ?? -1;
}

function vocabOf(vocabulary: readonly string[]): Record<string, number> {
  return Object.fromEntries(vocabulary.map((token, index) => [token, index]));
}

function frame(special: readonly string[], id: (token: string) => number): object {
  const flags = { single_word: false, lstrip: false, rstrip: false, normalized: false, special: true };
  const added = special.map((content) => ({ id: id(content), content, ...flags }));
  return { version: "1.0", truncation: null, padding: null, added_tokens: added, decoder: null };
}

function template(begin: string, end: string, id: (token: string) => number): object {
  const token = (name: string) => ({ SpecialToken: { id: name, type_id: 0 } });
  return {
    type: "TemplateProcessing",
    single: [token(begin), { Sequence: { id: "A", type_id: 0 } }, token(end)],
    pair: [token(begin), { Sequence: { id: "A", type_id: 0 } }, { Sequence: { id: "B", type_id: 1 } }, token(end)],
    special_tokens: Object.fromEntries(
      [begin, end].map((name) => [name, { id: name, ids: [id(name)], tokens: [name] }]),
    ),
  };
}

// A span of a text that may hide words, and its decoded form.

/**
 * A span of a text, with its form after decoding. `start` and `end` are offsets of the original text, `text` is the
 * decoded form.
 */
export interface ObfuscatedSpan {
  readonly layer: string;
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

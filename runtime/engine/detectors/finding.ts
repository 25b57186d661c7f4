// Findings in one form of a text.

/** A finding in one form of a text; offsets are those of that form, in UTF-16 code units. */
export interface Finding {
  readonly category: string;
  readonly start: number;
  readonly end: number;
  readonly score: number;
  readonly attributes?: Readonly<Record<string, string>>;
}

/** Findings in windows of a text that were scored before. */
export interface KnownWindows {
  /** By window, in order, for a detector in the form of these `reads`; undefined for a window without a finding. */
  readonly of: (specKey: string, kinds: number) => readonly (Finding | undefined)[];
}

// The limit on the memory of tables. The caller that builds an engine sets the limit; code that builds a table asks
// before it allocates.

/** Asserts that an engine may allocate so many more bytes for tables. Throws before the memory is allocated. */
export type AssertTablesFit = (bytes: number) => void;

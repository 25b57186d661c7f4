// The code units of a text in an array: reading them from it takes a fraction of the time that a string takes.

/** The UTF-16 code units of a text, lone surrogates included. */
export function unitsOf(text: string): Uint16Array {
  // Short buffers come from a pool, whose offsets are even.
  const { buffer, byteOffset } = Buffer.from(text, "utf16le");
  return new Uint16Array(buffer, byteOffset, text.length);
}

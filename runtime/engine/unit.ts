// Code units of a text in an array: a pass over it reads one in a fraction of the time that a string takes.

/** The UTF-16 code units of a text, lone surrogates included. */
export function unitsOf(text: string): Uint16Array {
  // Short ones come from a pool, whose places suit two bytes.
  const { buffer, byteOffset } = Buffer.from(text, "utf16le");
  return new Uint16Array(buffer, byteOffset, text.length);
}

// Code units of a text in an array: a pass over it reads one in a fraction of the time that a string takes.

/** The UTF-16 code units of a text, lone surrogates included. */
export function unitsOf(text: string): Uint16Array {
  const units = new Uint16Array(text.length);
  Buffer.from(units.buffer).write(text, "utf16le");
  return units;
}

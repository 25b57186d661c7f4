// Unicode's normal forms (UAX #15) of texts that somebody may have written to take time. Putting a run of combining
// marks into their order takes time by the square of its length: 64,000 marks take three seconds. No text of any
// language has more than thirty in a row (UAX #15, section 13), so a longer run is put into its order thirty at a time.

const longRun = /\p{M}{31}/u;
const piece = /\P{M}*\p{M}{0,30}/gu;

/** The text in this normal form. Of runs of more than thirty marks, each thirty are in it. */
export function normalForm(text: string, form: "NFC" | "NFD" | "NFKC"): string {
  if (!longRun.test(text)) return text.normalize(form);
  return text.replace(piece, (part) => part.normalize(form));
}

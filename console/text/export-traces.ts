/** What the export of traces says. */
export const exportTracesTexts = {
  button: "Export…",
  title: "Export traces",
  text: "All traces of these filters, newest first. The export itself becomes an entry of the log of evidence.",
  deed: "Save the file",
  format: "Format",
  formats: { csv: "CSV: a table, one line a trace", jsonl: "JSONL: everything that is known, one object a line" },
  texts: "Texts",
  textsHint: "As far as they were kept, and you may see them.",
  without: "without the texts",
  with: "with the texts",
};

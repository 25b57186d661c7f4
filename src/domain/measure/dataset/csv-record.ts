// Reads the cells of one record of CSV, after RFC 4180: cells are separated by commas; a cell in quotes may contain
// commas, line ends, and quotes that are doubled.

/** The cells of a record, or where it is wrong. */
export type CsvRecord =
  | { readonly cells: readonly string[] }
  | { readonly line: number; readonly column: number; readonly message: string };

/** Reads a record. Lines count from 0 within it, columns from 1, in UTF-16 code units. */
export function readCsvRecord(text: string): CsvRecord {
  const cells: string[] = [];
  let at = 0;
  for (;;) {
    if (text[at] === '"') {
      const quoted = readQuoted(text, at);
      if ("message" in quoted) return quoted;
      cells.push(quoted.cell);
      at = quoted.end;
    } else {
      const comma = text.indexOf(",", at);
      const end = comma === -1 ? text.length : comma;
      const cell = text.slice(at, end);
      const stray = cell.indexOf('"');
      if (stray !== -1) return faultAt(text, at + stray, "a quote stands within a cell that does not begin with one");
      cells.push(cell);
      at = end;
    }
    if (at >= text.length) return { cells };
    at += 1; // the comma
  }
}

function readQuoted(text: string, start: number) {
  let cell = "";
  for (let from = start + 1; ; ) {
    const end = text.indexOf('"', from);
    if (end === -1) return faultAt(text, start, "a quote that is opened here is never closed");
    cell += text.slice(from, end);
    const after = text[end + 1];
    if (after === undefined || after === ",") return { cell, end: end + 1 };
    if (after !== '"') return faultAt(text, end + 1, "expected a comma after the quote that closes a cell");
    cell += '"';
    from = end + 2;
  }
}

function faultAt(text: string, at: number, message: string) {
  const lines = text.slice(0, at).split("\n");
  return { line: lines.length - 1, column: (lines.at(-1)?.length ?? 0) + 1, message };
}

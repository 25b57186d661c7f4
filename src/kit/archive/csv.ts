// CSV as RFC 4180 has it: every cell quoted, lines ended by CR LF.

// Characters that begin a formula in spreadsheets, and their full-width forms of East Asian keyboards.
const formulaStart = /^[=+\-@\t\r\n\0＝＋－＠]/;

/** Whether a spreadsheet would take the cell for a formula, so that an apostrophe precedes it in a line. */
export function isFormula(cell: string): boolean {
  return formulaStart.test(cell);
}

/** One line. An apostrophe precedes a cell that a spreadsheet would take for a formula. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(csvCell).join(",")}\r\n`;
}

function csvCell(text: string): string {
  const harmless = isFormula(text) ? `'${text}` : text;
  return `"${harmless.includes('"') ? harmless.replaceAll('"', '""') : harmless}"`;
}

// CSV as RFC 4180 has it: every cell quoted, lines ended by CR LF.

// What spreadsheets take for the beginning of a formula, in the wide forms of East Asian keyboards too.
const formulaStart = /^[=+\-@\t\r\n\0＝＋－＠]/;

/** One line. A cell that a spreadsheet would take for a formula gets an apostrophe in front. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(csvCell).join(",")}\r\n`;
}

function csvCell(text: string): string {
  const harmless = formulaStart.test(text) ? `'${text}` : text;
  return `"${harmless.replaceAll('"', '""')}"`;
}

// Tables of small letters by code unit, for word readers that build no strings.

const unitsBelowSurrogates = 0xd800;
const behindSurrogates = 0xe000;

/**
 * The small letter of each code unit that a run of the pattern consists of; 0 for all others. When a small letter has
 * two units, its first.
 */
export function smallLetters(runs: RegExp): Uint16Array<ArrayBuffer> {
  const table = new Uint16Array(0x10000);
  for (const [from, to] of [
    [0, unitsBelowSurrogates],
    [behindSurrogates, 0x10000],
  ] as const) {
    const units = Uint16Array.from({ length: to - from }, (_, i) => from + i);
    const all = Buffer.from(units.buffer).toString("utf16le");
    for (const { 0: run, index } of all.matchAll(runs)) fill(table, run, from + index);
  }
  return table;
}

function fill(table: Uint16Array, run: string, from: number): void {
  const small = run.toLowerCase();
  if (small.length === run.length) {
    for (let i = 0; i < run.length; i++) table[from + i] = small.charCodeAt(i);
    return;
  }
  for (let i = 0; i < run.length; i++) table[from + i] = (run[i] ?? "").toLowerCase().charCodeAt(0);
}

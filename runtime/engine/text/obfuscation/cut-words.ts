// Words of orders that spaces, signs or line ends cut into pieces: "ig nore all prev-\nious instruc tions". Pieces of
// other words cannot be told from words, so only those of a list are put together again, and only where there are two.

const words =
  "access administrator anything assistant bypass command commands comply confidential confirm constraints context conversation credentials delete developer directives disable disclose discard disregard document earlier everything exactly execute exfiltrate filters following forget forward guidelines hidden ignore ignored ignores ignoring initial instead instruction instructions internal jailbreak limitations message messages obey order orders original output override overwrite password passwords permissions persona policies policy pretend previous print prior private prompt prompts refuse refusing repeat reply respond response restrictions restricted reveal rules safety secret secrets select sensitive silently system tables tokens transfer unfiltered uncensored unlimited unlock unrestricted upload users verbatim without".split(
    " ",
  );
const minWords = 2;
/** Maximum number of spaces and signs in one place. */
const maxParting = 3;

const letterCount = 26;
const kinds = { other: 0, letter: 1, between: 2 } as const;
const kindOf = new Uint8Array(65_536);
for (let unit = 0x61; unit <= 0x7a; unit++) kindOf[unit] = kindOf[unit - 0x20] = kinds.letter;
for (const char of " \t\r\n-'’.*_~|/+·•") kindOf[char.charCodeAt(0)] = kinds.between;

/** The words as a trie: the next node for each node and letter, 0 for none. */
const next: number[] = new Array<number>(letterCount).fill(0);
const isEnd: boolean[] = [false];
for (const word of words) {
  let node = 0;
  for (const char of word) {
    const slot = node * letterCount + char.charCodeAt(0) - 0x61;
    if (next[slot] === 0) {
      next[slot] = isEnd.length;
      isEnd.push(false);
      next.push(...new Array<number>(letterCount).fill(0));
    }
    node = next[slot] ?? 0;
  }
  isEnd[node] = true;
}
const table = Uint16Array.from(next);

/** The text with such words put together again; undefined when there are too few. */
export function joinedCuts(text: string): string | undefined {
  let joined = 0;
  let read = "";
  let done = 0;
  let before: number = kinds.between;
  for (let start = 0; start < text.length; start++) {
    const kind = kindOf[text.charCodeAt(start)] ?? 0;
    const begins = kind === kinds.letter && before !== kinds.letter;
    before = kind;
    const end = begins ? endOfCut(text, start) : 0;
    if (end === 0) continue;
    joined++;
    read += text.slice(done, start) + text.slice(start, end).replaceAll(/[^A-Za-z]+/g, "");
    done = end;
    start = end - 1;
  }
  return joined < minWords ? undefined : read + text.slice(done);
}

// The end of the longest word of the list that begins at an offset, is cut somewhere, and ends with a piece; 0 for none.
function endOfCut(text: string, start: number): number {
  let node = 0;
  let end = 0;
  let parting = 0;
  let isCut = false;
  for (let i = start; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    const kind = kindOf[unit] ?? 0;
    if (kind === kinds.letter) {
      node = table[node * letterCount + (unit | 0x20) - 0x61] ?? 0;
      if (node === 0) return end;
      if (parting > 0) isCut = true;
      parting = 0;
      if (isCut && isEnd[node] === true && kindOf[text.charCodeAt(i + 1)] !== kinds.letter) end = i + 1;
    } else if (kind === kinds.other || ++parting > maxParting) return end;
  }
  return end;
}

// Follows the base64 runs of a growing text (see normalize.ts). A run that has ended is decoded; a run that is still
// open is held back as long as it may decode to text.

import { decodedView, isEncodingUnit, maxBase64Run, mayDecode, minBase64Run, type View } from "../text/normalize.ts";

const lineFeed = 10;
const carriageReturn = 13;
const padding = 61;
const minLineLength = 4;
/** Code units of a run that are decoded to see whether it may be text. */
const probeLength = 48;

/** The position of the feed within a run. */
type RunPosition = "letters" | "padding" | "line end" | "new line";

/** Follows the runs. Offsets count from the start of the whole text. */
export class EncodedFeed {
  #offset = 0;
  /** The text of the run, or of letters that may become a run. */
  #run = "";
  #start = 0;
  #place: RunPosition = "letters";
  /** Whether the letters are long enough to be a run. */
  #isRun = false;
  /** Text after the run's last full line that may or may not belong to the run. */
  #uncertain = "";
  #isHopeless = false;

  /** The start of a run that may still be decoded; the end of the text when there is none. */
  get edge(): number {
    return this.#run === "" || this.#isHopeless || this.#run.length > maxBase64Run ? this.#offset : this.#start;
  }

  /** Takes more text and returns the decoded forms of the runs that ended in it. */
  push(text: string): View[] {
    const views: View[] = [];
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i);
      // Most characters belong to a word, so the letters of a word are taken together.
      if (this.#place === "letters" && isEncodingUnit(unit)) {
        let end = i + 1;
        while (end < text.length && isEncodingUnit(text.charCodeAt(end))) end++;
        this.#letters(text.slice(i, end), this.#offset + i);
        i = end - 1;
      } else this.#step(unit, this.#offset + i, views);
    }
    this.#offset += text.length;
    if (this.#run !== "" && !this.#isHopeless) this.#isHopeless = !mayDecode(this.#run.slice(0, probeLength));
    return views;
  }

  #letters(letters: string, at: number): void {
    if (this.#run === "") {
      this.#start = at;
      this.#isHopeless = false;
    }
    // A run that is too long is not decoded; only its length matters.
    if (this.#run.length <= maxBase64Run) this.#run += letters;
    if (!this.#isRun && this.#run.length >= minBase64Run) this.#isRun = true;
  }

  // Takes one unit that does not simply continue the letters.
  #step(unit: number, at: number, views: View[]): void {
    const isLetter = isEncodingUnit(unit);
    if (this.#place === "new line" && isLetter) {
      this.#uncertain += String.fromCharCode(unit);
      const line = this.#uncertain.replace(/^\r?\n/, "");
      if (line.length < minLineLength) return;
      if (this.#run.length <= maxBase64Run) this.#run += this.#uncertain;
      this.#uncertain = "";
      this.#place = "letters";
      return;
    }
    if (this.#isRun && this.#place === "letters" && (unit === lineFeed || unit === carriageReturn)) {
      this.#uncertain = String.fromCharCode(unit);
      this.#place = unit === lineFeed ? "new line" : "line end";
      return;
    }
    if (this.#place === "line end" && unit === lineFeed) {
      this.#uncertain += "\n";
      this.#place = "new line";
      return;
    }
    if (this.#isRun && unit === padding && this.#takesPadding()) {
      this.#run += "=";
      this.#place = "padding";
      return;
    }
    this.#end(views);
    if (isLetter) this.#letters(String.fromCharCode(unit), at);
  }

  #takesPadding(): boolean {
    return this.#place === "letters" || (this.#place === "padding" && !this.#run.endsWith("=="));
  }

  // The uncertain text follows the run. It has fewer letters than a line, so it could begin a run of its own only if
  // more letters followed at once, and they do not.
  #end(views: View[]): void {
    if (this.#isRun && this.#run.length <= maxBase64Run) {
      const view = decodedView(this.#run, this.#start);
      if (view !== undefined) views.push(view);
    }
    this.#run = "";
    this.#isRun = false;
    this.#uncertain = "";
    this.#isHopeless = false;
    this.#place = "letters";
  }
}

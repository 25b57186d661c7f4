// Follows the base64 runs of a growing text (see normalize.ts): what has ended is decoded, and a run that has begun is held for as long as
// what it decodes to may turn out to be text.

import { decodedView, isEncodingUnit, longestRun, mayDecode, shortestRun, type View } from "../normalize.ts";

const lineFeed = 10;
const carriageReturn = 13;
const padding = 61;
const shortestLine = 4;
/** How much of a run is decoded to see whether it may be text. */
const probeLength = 48;

/** Where in a run the feed is. */
type Place = "letters" | "padding" | "line end" | "new line";

/** Follows the runs. Offsets are those of the whole text. */
export class EncodedFeed {
  #offset = 0;
  /** The text of the run, or of the letters that may become one. */
  #run = "";
  #start = 0;
  #place: Place = "letters";
  /** Whether the run is long enough to be one. */
  #isRun = false;
  /** What follows the run's last full line and is not certain to belong to it. */
  #uncertain = "";
  #isHopeless = false;

  /** Where a run begins that may still be decoded; the end of the text when there is none. */
  get edge(): number {
    return this.#run === "" || this.#isHopeless || this.#run.length > longestRun ? this.#offset : this.#start;
  }

  /** Takes more text; answers the forms of the runs that ended in it. */
  push(text: string): View[] {
    const views: View[] = [];
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i);
      // Most characters belong to a word: the letters of it are taken together.
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
    // Nobody decodes a run that is too long; its length is all that counts.
    if (this.#run.length <= longestRun) this.#run += letters;
    if (!this.#isRun && this.#run.length >= shortestRun) this.#isRun = true;
  }

  // One unit that does not simply go on with letters.
  #step(unit: number, at: number, views: View[]): void {
    const isLetter = isEncodingUnit(unit);
    if (this.#place === "new line" && isLetter) {
      this.#uncertain += String.fromCharCode(unit);
      const line = this.#uncertain.replace(/^\r?\n/, "");
      if (line.length < shortestLine) return;
      if (this.#run.length <= longestRun) this.#run += this.#uncertain;
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

  // What was uncertain is text behind the run; fewer letters than a line has may begin a run of their own only if more follow at once,
  // and they do not.
  #end(views: View[]): void {
    if (this.#isRun && this.#run.length <= longestRun) {
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

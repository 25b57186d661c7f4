// Digests of the files that follow from a log (extract.ts), made while the log is read: by the export, which finds out
// that something was erased between one file and the next, and by the verifier, which finds out that a file says
// something else than the log. What is held is a digest of each file.

import { createHash } from "node:crypto";
import {
  entryGapLines,
  extractLine,
  extracts,
  gapHeader,
  kindOf,
  leftOutGapLine,
  manifestGapLine,
  manifestOf,
  type NamedManifest,
} from "./extract.ts";
import type { KnownEntry } from "./known-entry.ts";
import type { LeftOut } from "./log-file.ts";
import type { LogListener } from "./log-verifier.ts";
import { packageFiles } from "./package.ts";

const charsAtOnce = 65_536;

/** Follows a log, and then the manifests of its bundles. */
export class PackageDigests implements LogListener {
  readonly #onLine: (file: string, seq: number) => void;
  readonly #extracts = extracts.map((extract) => ({ extract, hash: new TextHash(extract.header) }));
  readonly #gaps = new TextHash(gapHeader());
  /** Which manifests the log names, and which the file of bundles has a line for. */
  readonly #named = new TextHash("");
  readonly #listed = new TextHash("");

  /** `onLine` is called with each entry that has a line in a file. */
  constructor(onLine: (file: string, seq: number) => void = () => undefined) {
    this.#onLine = onLine;
  }

  entry(entry: KnownEntry): void {
    const kind = kindOf(entry);
    for (const { extract, hash } of this.#extracts) {
      const line = extractLine(extract, entry, kind);
      if (line === "") continue;
      hash.update(line);
      this.#onLine(extract.name, entry.seq);
    }
    const gaps = entryGapLines(entry);
    if (gaps !== "") this.#gaps.update(gaps);
    const named = manifestOf(entry);
    if (named === undefined) return;
    this.#named.update(nameOf(named));
    this.#onLine(packageFiles.bundles, entry.seq);
  }

  leftOut(leftOut: LeftOut): void {
    this.#gaps.update(leftOutGapLine(leftOut));
  }

  /** A line of the file of bundles, after the whole log. */
  manifest(named: NamedManifest, { isThere }: { readonly isThere: boolean }): void {
    this.#listed.update(nameOf(named));
    if (!isThere) this.#gaps.update(manifestGapLine(named.seq));
  }

  /** The digest of each file that follows from what was read, and whether every manifest had its line. */
  end(): { readonly files: ReadonlyMap<string, string>; readonly hasAllManifests: boolean } {
    const files = this.#extracts.map(({ extract, hash }): [string, string] => [extract.name, hash.digest()]);
    const hasAllManifests = this.#named.digest() === this.#listed.digest();
    return { files: new Map([...files, [packageFiles.gaps, this.#gaps.digest()]]), hasAllManifests };
  }
}

/** The digest of a text that comes in many short pieces: hashing them some at a time takes less. */
class TextHash {
  readonly #hash = createHash("sha256");
  #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  update(text: string): void {
    this.#text += text;
    if (this.#text.length > charsAtOnce) this.#hashText();
  }

  digest(): string {
    this.#hashText();
    return this.#hash.digest("hex");
  }

  #hashText(): void {
    this.#hash.update(this.#text);
    this.#text = "";
  }
}

function nameOf({ seq, bundleId, digest }: NamedManifest): string {
  return `${JSON.stringify([seq, bundleId, digest])}\n`;
}

// What one version did, kept as files: a section is a file of lines, a line is a record with its name and its
// normalised value. A whole comparison has gigabytes of them, so that only where they lie and their digests are kept in
// memory.

import { createHash } from "node:crypto";
import { appendFileSync, closeSync, mkdirSync, openSync, readSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Json } from "./json.ts";
import { type Normalization, normalized, type Places } from "./normal.ts";

/** A record of a section. */
export interface Entry {
  readonly digest: string;
  /** Whether something was left unjudged since its time was over. */
  readonly isLate: boolean;
}

interface Place extends Entry {
  readonly from: number;
  readonly length: number;
}

/** Where the sections of one version are written. */
export class Recording {
  readonly #folder: string;
  readonly #normalization: Normalization;
  readonly #sections = new Map<string, Map<string, Place>>();
  readonly #sizes = new Map<string, number>();
  /** Texts of this run that stand for a place. */
  places: Places = [];

  constructor(folder: string, normalization: Normalization) {
    mkdirSync(folder, { recursive: true });
    this.#folder = folder;
    this.#normalization = normalization;
  }

  /** Adds a record. */
  add(section: string, name: string, value: Json): void {
    this.addAll(section, [[name, value]]);
  }

  /** Adds records. A name that is there already is an error of this tool: one of the two would not be compared. */
  addAll(section: string, records: readonly (readonly [name: string, value: Json])[]): void {
    const places = this.#sections.get(section) ?? this.#begun(section);
    let at = this.#sizes.get(section) ?? 0;
    const lines = records.map(([given, value]) => {
      const name = this.#nameOf(given);
      if (places.has(name)) throw new Error(`${section} has two records "${name}"`);
      const head = Buffer.from(`${JSON.stringify(name)}\t`);
      const text = JSON.stringify(normalized(value, this.#normalization, this.places));
      const body = Buffer.from(text);
      const digest = createHash("sha256").update(body).digest("base64");
      places.set(name, {
        digest,
        isLate: text.includes('"reason":"timeout"'),
        from: at + head.length,
        length: body.length,
      });
      at += head.length + body.length + 1;
      return Buffer.concat([head, body, Buffer.from("\n")]);
    });
    appendFileSync(this.#fileOf(section), Buffer.concat(lines));
    this.#sizes.set(section, at);
  }

  /** The sections so far. */
  get sections(): string[] {
    return [...this.#sections.keys()];
  }

  /** The records of a section by name. */
  entries(section: string): ReadonlyMap<string, Entry> {
    return this.#sections.get(section) ?? new Map();
  }

  /** Those records of a section that have one of the names, as JSON. */
  read(section: string, names: Iterable<string>): Map<string, string> {
    const places = this.#sections.get(section);
    if (places === undefined) return new Map();
    const file = openSync(this.#fileOf(section), "r");
    try {
      const found = new Map<string, string>();
      for (const name of names) {
        const place = places.get(name);
        if (place === undefined) continue;
        const bytes = Buffer.alloc(place.length);
        readSync(file, bytes, 0, place.length, place.from);
        found.set(name, bytes.toString("utf8"));
      }
      return found;
    } finally {
      closeSync(file);
    }
  }

  #begun(section: string): Map<string, Place> {
    const places = new Map<string, Place>();
    this.#sections.set(section, places);
    writeFileSync(this.#fileOf(section), "");
    return places;
  }

  #fileOf(section: string): string {
    return join(this.#folder, `${section}.jsonl`);
  }

  #nameOf(name: string): string {
    return this.places.reduce((shown, [place, placeName]) => shown.replaceAll(place, placeName), name);
  }
}

// Runs the detectors of one stream over every form of its text, and returns the findings of each detector as soon as
// nothing can change them.

import type { Detection, TextSource } from "../detectors/detector.ts";
import type { KnownWindows } from "../detectors/finding.ts";
import { reads } from "../text/normalize.ts";
import { EncodedFeed } from "./encoded-feed.ts";
import { FormMap } from "./form-map.ts";
import { FormStream } from "./form-stream.ts";
import { NormalFeed, type NormalStep } from "./normal-feed.ts";
import type { StreamJob, StreamTables } from "./tables.ts";
import { contextLength, TextTail } from "./text-tail.ts";
import { settledWindows, windowLength } from "./window-edge.ts";

/** The detections that a chunk settled, by the key of their spec. */
export type Settled = ReadonlyMap<string, readonly Detection[]>;

/** The offset after which a detector may still find something. */
export interface StreamEdge {
  readonly key: string;
  readonly edge: number;
}

const nothing: Settled = new Map();
const none: readonly Detection[] = [];

/** Scans a growing text. Offsets are UTF-16 code units of the given text: in "a😀b", "b" starts at 3. */
export class StreamScanner {
  readonly #tables: StreamTables;
  readonly #feed = new NormalFeed();
  readonly #encoded: EncodedFeed | undefined;
  /** The given text, and from the first difference on its normalised form. */
  readonly #given: FormStream;
  #normal: FormStream | undefined;
  #map: FormMap | undefined;
  /** The given text, to tell whether a finding in the normalised form is in the given text too. */
  readonly #text = new TextTail();
  readonly #ledgers: readonly Ledger[];
  #fed = 0;

  constructor(tables: StreamTables, source: TextSource = "chat") {
    this.#tables = tables;
    this.#given = new FormStream(tables, reads.given | reads.normal);
    this.#encoded = tables.decoded === undefined ? undefined : new EncodedFeed();
    this.#ledgers = tables.jobs.map((job) => new Ledger(job, source));
  }

  /** Takes a chunk and returns what it settled. */
  push(chunk: string): Settled {
    const step = this.#feed.push(chunk);
    if (step.given !== "") this.#advance(step);
    let settled: Map<string, readonly Detection[]> | undefined;
    for (let job = 0; job < this.#ledgers.length; job++) {
      const ledger = this.#ledgers[job];
      if (ledger === undefined) continue;
      const edge = this.#edgeOf(job);
      const found = ledger.isWindowed
        ? ledger.settleWindows(this.#windowEdgeOf(job, edge))
        : ledger.settleClusters(edge);
      if (found.length === 0) continue;
      settled ??= new Map();
      settled.set(ledger.key, found);
    }
    return settled ?? nothing;
  }

  /** For each detector, the offset after which it may still find something. */
  get edges(): readonly StreamEdge[] {
    return this.#ledgers;
  }

  /** The findings in the settled windows, for the verdict. */
  get windows(): KnownWindows {
    const of: KnownWindows["of"] = (key, kinds) => {
      if ((kinds & reads.normal) !== 0) return (this.#normal ?? this.#given).windowsOf(key);
      return (kinds & reads.given) !== 0 ? this.#given.windowsOf(key) : [];
    };
    return { of };
  }

  #advance(step: NormalStep): void {
    this.#text.append(step.given);
    if (step.starts !== undefined && this.#normal === undefined) this.#fork();
    this.#given.push(step.given, (job, { start, end, category, score, attributes }) =>
      this.#add(job, { category, start, end, score, layer: "plain", ...(attributes && { attributes }) }, 0),
    );
    this.#pushNormal(step);
    this.#pushEncoded(step.given);
    this.#fed += step.given.length;
    let minOffset = this.#fed;
    for (const { edge } of this.#ledgers) if (edge < minOffset) minOffset = edge;
    this.#text.trim(minOffset - contextLength);
  }

  #fork(): void {
    this.#normal = this.#given.fork(reads.normal | reads.normalAgain);
    this.#given.become(reads.given);
    this.#map = new FormMap(this.#fed);
  }

  #pushNormal(step: NormalStep): void {
    const map = this.#map;
    if (this.#normal === undefined || map === undefined) return;
    map.append(step.given.length, step.starts, step.ends);
    const form = this.#normal;
    form.push(step.normal, (job, finding) => {
      const start = map.start(finding.start);
      const end = map.end(finding.end);
      const isSame = this.#text.slice(start, end) === form.tail.slice(finding.start, finding.end);
      const { category, score, attributes } = finding;
      const layer = isSame ? "plain" : "normalized";
      this.#add(job, { category, start, end, score, layer, ...(attributes && { attributes }) }, 1);
    });
    map.trim(form.tail.base - contextLength);
  }

  #pushEncoded(given: string): void {
    for (const view of this.#encoded?.push(given) ?? []) {
      const found = this.#tables.decoded?.scanForm(view);
      for (const [job, { key }] of this.#tables.jobs.entries())
        for (const detection of found?.get(key) ?? []) this.#add(job, detection, 2);
    }
  }

  #add(job: number, detection: Detection, form: number): void {
    this.#ledgers[job]?.add(detection, form);
  }

  #edgeOf(job: number): number {
    const own = this.#tables.jobs[job]?.reads ?? 0;
    let edge = this.#given.isReadBy(job) ? (this.#given.edges[job] ?? 0) : this.#fed;
    if (this.#normal?.isReadBy(job) === true)
      edge = Math.min(edge, this.#map?.start(this.#normal.edges[job] ?? 0) ?? 0);
    if ((own & reads.decoded) !== 0) edge = Math.min(edge, this.#encoded?.edge ?? edge);
    return edge;
  }

  // Windows are counted in the form that they are taken from, and their detections in the given text.
  #windowEdgeOf(job: number, edge: number): number {
    const minOffset = settledWindows(edge);
    if (this.#normal?.isReadBy(job) !== true) return minOffset;
    return Math.min(minOffset, this.#map?.start(settledWindows(this.#normal.edges[job] ?? 0)) ?? 0);
  }
}

interface Entry {
  readonly detection: Detection;
  readonly form: number;
}

/** The detections of one detector that are not settled, or that others may still depend on. */
class Ledger {
  readonly key: string;
  readonly isWindowed: boolean;
  /** No detection that begins before this offset can change. */
  edge = 0;
  readonly #job: StreamJob;
  readonly #source: TextSource;
  #entries: Entry[] = [];
  #isSorted = true;

  constructor(job: StreamJob, source: TextSource) {
    this.key = job.key;
    this.isWindowed = job.isWindowed;
    this.#job = job;
    this.#source = source;
  }

  add(detection: Detection, form: number): void {
    this.#entries.push({ detection, form });
    this.#isSorted = false;
  }

  #sort(): void {
    if (!this.#isSorted) this.#entries.sort(byPosition);
    this.#isSorted = true;
  }

  /**
   * The detections that are settled, given that all that begin before `edge` were added. Overlapping detections are
   * settled together.
   */
  settleClusters(edge: number): readonly Detection[] {
    if (this.#entries.length === 0) {
      this.edge = edge;
      return none;
    }
    this.#sort();
    let taken = 0;
    let clusterEnd = 0;
    for (let i = 0; i < this.#entries.length; i++) {
      const { start, end } = this.#entries[i]?.detection ?? { start: 0, end: 0 };
      if (i > taken && start >= clusterEnd) taken = i;
      clusterEnd = i === taken ? end : Math.max(clusterEnd, end);
      if (start >= edge || clusterEnd > edge) break;
      if (i === this.#entries.length - 1) taken = i + 1;
    }
    const settled = this.#entries.slice(0, taken).map(({ detection }) => detection);
    this.#entries = this.#entries.slice(taken);
    this.edge = Math.min(edge, this.#entries[0]?.detection.start ?? edge);
    return settled.length === 0 ? settled : this.#job.settle(settled, this.#source);
  }

  /** The same for detections that are settled by windows. */
  settleWindows(windowEdge: number): readonly Detection[] {
    const from = this.edge;
    if (windowEdge <= from) return none;
    this.edge = windowEdge;
    this.#sort();
    const settled = this.#job
      .settle(
        this.#entries.map(({ detection }) => detection),
        this.#source,
      )
      .filter(({ start }) => start >= from && start < windowEdge);
    const overlapping = this.#entries.filter(({ detection }) => detection.end > windowEdge);
    const minOffset = Math.min(windowEdge - windowLength, ...overlapping.map(({ detection }) => detection.start));
    this.#entries = this.#entries.filter(({ detection }) => detection.end > minOffset);
    return settled;
  }
}

function byPosition(a: Entry, b: Entry): number {
  return a.detection.start - b.detection.start || a.form - b.form;
}

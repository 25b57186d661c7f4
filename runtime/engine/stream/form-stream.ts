// One linear form of a stream's text, with the state of every search in it. After each chunk it has reported exactly
// the findings that no later text can change. For each detector it gives the edge: the offset after which findings may
// still change.

import type { Phrase, ScoreWindow } from "../detectors/detector-plan.ts";
import type { Finding } from "../detectors/finding.ts";
import { bitOf } from "../pattern/state-mark.ts";
import { mayBeginWord, noPhrase, phraseEnd, phraseStart, undecided } from "../scan/phrase.ts";
import { endsWithLiteral } from "../text/fold.ts";
import { reads } from "../text/normalize.ts";
import { collapsedBack, gateBack } from "./collapsed.ts";
import { FoldedTail } from "./folded-tail.ts";
import { GatedSearch } from "./gated-search.ts";
import { GroupSearch } from "./group-search.ts";
import { PrefixSearch } from "./prefix-search.ts";
import type { FormReport } from "./report.ts";
import type { StreamTables, StreamTriggerUse } from "./tables.ts";
import { TextTail } from "./text-tail.ts";
import { settlesWindow, windowLength } from "./window-edge.ts";

interface PhraseHit {
  readonly job: number;
  readonly phrase: Phrase;
  readonly end: number;
}

/** One form of the text of a stream. */
export class FormStream {
  /** Bits of `reads` in normalize.ts. */
  kinds: number;
  readonly tail: TextTail;
  readonly #tables: StreamTables;
  readonly #folded: FoldedTail;
  #state = 0;
  #phrases: PhraseHit[] = [];
  /** By trigger: end offsets of the hits that wait. */
  readonly #triggerHits = new Map<number, number[]>();
  #openEdges: number[];
  /** The end of the text when `open` was last called. */
  #seen = 0;
  #sweepEdges: number[];
  #windowEdges: number[];
  readonly #gated: GatedSearch;
  readonly #groups: GroupSearch;
  readonly #leads: PrefixSearch;
  /** By detector: no finding that begins before this offset can change. */
  readonly edges: Float64Array;
  /** Findings in windows, by probe and by window. */
  readonly #windows: (Finding | undefined)[][];
  readonly #scores: readonly ScoreWindow[];

  constructor(tables: StreamTables, kinds: number, from?: FormStream) {
    this.#tables = tables;
    this.kinds = kinds;
    this.tail = from?.tail.copy() ?? new TextTail();
    this.#folded = new FoldedTail(this.tail, from === undefined ? undefined : from.#folded);
    this.#state = from === undefined ? 0 : from.#state;
    this.#phrases = [...(from === undefined ? [] : from.#phrases)];
    if (from !== undefined) for (const [index, hits] of from.#triggerHits) this.#triggerHits.set(index, [...hits]);
    this.#openEdges = from === undefined ? tables.opens.map(() => 0) : [...from.#openEdges];
    this.#seen = from === undefined ? 0 : from.#seen;
    this.#sweepEdges = from === undefined ? tables.sweeps.map(() => 0) : [...from.#sweepEdges];
    this.#windowEdges = from === undefined ? tables.windows.map(() => 0) : [...from.#windowEdges];
    this.#gated = new GatedSearch(tables, from === undefined ? undefined : from.#gated);
    this.#groups = new GroupSearch(tables, from === undefined ? undefined : from.#groups);
    this.#leads = new PrefixSearch(tables.prefixes, from === undefined ? undefined : from.#leads);
    this.edges = new Float64Array(tables.jobs.length);
    this.#scores = tables.windows.map(({ probe }) => probe.open());
    this.#windows = tables.windows.map((_, index) => (from === undefined ? [] : [...(from.#windows[index] ?? [])]));
  }

  /** A copy that continues on its own with other kinds. */
  fork(kinds: number): FormStream {
    const form = new FormStream(this.#tables, kinds, this);
    form.become(kinds);
    return form;
  }

  /** Continues with other kinds. Hits that wait for detectors of the remaining kinds belong to the other form. */
  become(kinds: number): void {
    this.kinds = kinds;
    this.#phrases = this.#phrases.filter(({ job }) => this.isReadBy(job));
    for (const index of this.#triggerHits.keys())
      if (!this.isReadBy(this.#tables.triggers[index]?.job ?? 0)) this.#triggerHits.delete(index);
  }

  /** The findings in the windows that are settled. */
  windowsOf(key: string): readonly (Finding | undefined)[] {
    const { jobs, windows } = this.#tables;
    return this.#windows[windows.findIndex(({ job }) => jobs[job]?.key === key)] ?? [];
  }

  /** Whether a detector reads this form. */
  isReadBy(job: number): boolean {
    return ((this.#tables.jobs[job]?.reads ?? 0) & this.kinds) !== 0;
  }

  /** Takes more of the form's text. A chunk must not end within a surrogate pair. */
  push(more: string, report: FormReport): void {
    const { tail } = this;
    const before = tail.text.length;
    tail.append(more);
    this.#folded.push(more);
    this.edges.fill(tail.end);
    this.#scan(before);
    const lower = this.#lower;
    const { text: folded, end: foldEnd, settled: foldedText } = this.#folded;
    const searched = { tail, folded, foldEnd, foldedText, reads: this.#reads, waits: this.#waits };
    this.#settlePhrases(report, lower);
    this.#settleTriggers(report, lower);
    this.#settleSweeps(report, lower);
    this.#settleWindows(report, lower);
    this.#gated.settle(searched, report, lower);
    this.#groups.settle(searched, report, lower);
    this.#lowerByLiterals(lower);
    this.#trim();
  }

  // Findings in windows take effect when the window is settled. Windows are counted in the given text.
  readonly #waits = (job: number, from: number): boolean =>
    this.#tables.jobs[job]?.isWindowed === true &&
    (this.kinds & reads.given) !== 0 &&
    !settlesWindow(from, this.tail.end);

  readonly #reads = (job: number): boolean => this.isReadBy(job);

  readonly #lower = (job: number, edge: number): void => {
    if (edge < (this.edges[job] ?? 0)) this.edges[job] = edge;
  };

  #scan(from: number): void {
    const { automaton, uses } = this.#tables;
    const { base, text } = this.tail;
    const visit = (literal: number, end: number): void => {
      const found = uses[literal];
      if (found === undefined) return;
      for (const { job, phrase } of found.phrases)
        if (this.isReadBy(job)) this.#phrases.push({ job, phrase, end: base + end });
      for (const index of found.triggers) {
        const use = this.#tables.triggers[index];
        if (use === undefined || !this.isReadBy(use.job) || !endsWithLiteral(text, end, use.literal)) continue;
        const hits = this.#triggerHits.get(index);
        if (hits === undefined) this.#triggerHits.set(index, [base + end]);
        else hits.push(base + end);
      }
      for (const { pattern, gate } of found.gates)
        if (this.isReadBy(this.#tables.patterns[pattern]?.job ?? 0) && endsWithLiteral(text, end, gate.literal))
          this.#gated.hit(pattern, gate, this.tail, end);
    };
    this.#state = automaton.scan(text, visit, { from, state: this.#state });
  }

  // A phrase is certain once the character after it is known, and the text that confirms its imitated letters.
  #settlePhrases(report: FormReport, lower: (job: number, edge: number) => void): void {
    if (this.#phrases.length === 0) return;
    const { base, text } = this.tail;
    this.#phrases = this.#phrases.filter(({ job, phrase, end }) => {
      const isKnown = end + 1 <= this.tail.end;
      const start = isKnown ? phraseStart(phrase, text, end - base, { mayGrow: true }) : undecided;
      if (start === undecided) {
        lower(job, base + collapsedBack(text, end - base, phrase.text.length));
        return true;
      }
      const { category, score, attributes } = phrase;
      if (start !== noPhrase) {
        const last = base + phraseEnd(phrase, text, end - base);
        report(job, { category, start: base + start, end: last, score, attributes });
      }
      return false;
    });
  }

  #settleTriggers(report: FormReport, lower: (job: number, edge: number) => void): void {
    const { base, text } = this.tail;
    const { opens, triggers } = this.#tables;
    for (let index = 0; index < opens.length; index++) {
      const use = opens[index];
      if (use === undefined || !this.isReadBy(use.job)) continue;
      const edge = base + use.open(text, (this.#openEdges[index] ?? 0) - base, Math.max(0, this.#seen - base));
      this.#openEdges[index] = edge;
      lower(use.job, edge);
    }
    this.#seen = this.tail.end;
    for (const [index, known] of this.#triggerHits) {
      const use = triggers[index];
      if (use === undefined) continue;
      const hits = known.filter((end) => !this.#settleHit(use, end, report, lower));
      if (hits.length === 0) this.#triggerHits.delete(index);
      else this.#triggerHits.set(index, hits);
    }
  }

  // True when nothing can change the result of a hit.
  #settleHit(
    { job, trigger, open }: StreamTriggerUse,
    end: number,
    report: FormReport,
    lower: (job: number, edge: number) => void,
  ): boolean {
    const { base, text } = this.tail;
    const start = end - trigger.literal.length;
    const edge = this.#openEdges[open] ?? 0;
    if (start >= edge - (trigger.maxUnitsBefore ?? 0)) {
      if (start < edge) lower(job, start);
      return false;
    }
    const finding = trigger.locate(text, end - base);
    if (finding !== undefined) report(job, shifted(finding, base));
    return true;
  }

  #settleSweeps(report: FormReport, lower: (job: number, edge: number) => void): void {
    const { base, text } = this.tail;
    for (const [index, { job, sweep }] of this.#tables.sweeps.entries()) {
      if (!this.isReadBy(job)) continue;
      const from = (this.#sweepEdges[index] ?? 0) - base;
      const edge = sweep.open?.(text, from) ?? 0;
      if (edge > from)
        for (const finding of sweep(text, from, edge)) if (finding.start < edge) report(job, shifted(finding, base));
      this.#sweepEdges[index] = base + edge;
      lower(job, base + edge);
    }
  }

  // A window that ends before the text does stays the same when the text grows.
  #settleWindows(report: FormReport, lower: (job: number, edge: number) => void): void {
    const { base, text } = this.tail;
    for (const [index, { job, probe }] of this.#tables.windows.entries()) {
      if (!this.isReadBy(job)) continue;
      const done = (this.#windowEdges[index] ?? 0) - base;
      if (text.length - done <= windowLength) {
        lower(job, base + done);
        continue;
      }
      let edge = done;
      // All windows have the same stride, so the windows from one of them onward lie as in a text that begins there.
      for (const [start, stop] of probe.windowsOf(text.length - done)) {
        const from = done + start;
        const to = done + stop;
        edge = from;
        if (to >= text.length) break;
        const finding = this.#scores[index]?.(text, from, to, base);
        const found = finding && shifted(finding, base);
        this.#windows[index]?.push(found);
        if (found !== undefined) report(job, found);
      }
      this.#windowEdges[index] = base + edge;
      lower(job, base + edge);
    }
  }

  readonly #lowerIfRead = (job: number, edge: number): void => {
    if (this.isReadBy(job)) this.#lower(job, edge);
  };

  // Lowers edges for literals that have begun and not ended, and for text that may precede literals that have not
  // begun.
  #lowerByLiterals(lower: (job: number, edge: number) => void): void {
    const { automaton, marks, jobs } = this.#tables;
    const { base, text } = this.tail;
    this.#leads.lower(this.tail, text.length, -1, this.#lowerIfRead);
    for (let state = this.#state; state > 0; state = automaton.states.fail[state] ?? 0) {
      const word = marks.wordJobs[state] ?? 0;
      const any = marks.anyJobs[state] ?? 0;
      const prefixes = marks.prefixSets[state] ?? 0;
      if ((word | any | prefixes) === 0) continue;
      const start = gateBack(text, text.length, marks.depth[state] ?? 0);
      const held = any | (word !== 0 && mayBeginWord(text, start) ? word : 0);
      if (held !== 0)
        for (let job = 0; job < jobs.length; job++) if ((held & bitOf(job)) !== 0) lower(job, base + start);
      if (prefixes !== 0) this.#leads.lower(this.tail, start, prefixes, this.#lowerIfRead);
    }
    for (let job = 0; job < jobs.length; job++) if (!this.isReadBy(job)) this.edges[job] = this.tail.end;
  }

  #trim(): void {
    const { opens, sweeps, windows } = this.#tables;
    let minOffset = Math.min(this.#folded.minOffset, this.#gated.minOffset(), this.#groups.minOffset());
    for (const edge of this.edges) minOffset = Math.min(minOffset, edge);
    const consider = (uses: readonly { readonly job: number }[], edges: readonly number[]): void => {
      for (const [index, { job }] of uses.entries())
        if (this.isReadBy(job)) minOffset = Math.min(minOffset, edges[index] ?? 0);
    };
    consider(opens, this.#openEdges);
    consider(sweeps, this.#sweepEdges);
    for (const [index, { job, probe }] of windows.entries())
      if (this.isReadBy(job)) minOffset = Math.min(minOffset, (this.#windowEdges[index] ?? 0) - probe.reach);
    this.tail.trim(minOffset);
    this.#folded.trim(minOffset);
  }
}

function shifted(finding: Finding, by: number): Finding {
  return by === 0 ? finding : { ...finding, start: finding.start + by, end: finding.end + by };
}

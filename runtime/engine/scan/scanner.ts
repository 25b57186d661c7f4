// Compiles the detectors of a bundle together: one index of all literals, windows for patterns with required
// literals, and few searches of the whole text. A text is scanned once in each of its forms, whatever the number of
// detectors.

import type { Detection, DetectorSpec, Lap, Scanner, TextForm, TextSource } from "../detectors/detector.ts";
import type { Models, Plan, ScoreWindow, Sweep, WindowProbe } from "../detectors/detector-plan.ts";
import type { Finding, KnownWindows } from "../detectors/finding.ts";
import type { BuildBudget } from "../pattern/dfa-state.ts";
import { openLiteralIndex } from "../pattern/literal-index.ts";
import { findMatches, type SearchLimits, type SearchWork } from "../pattern/pattern-search.ts";
import { letterFoldText } from "../text/fold.ts";
import { type View, viewsOf } from "../text/normalize.ts";
import { finish, inBatches } from "../text/steps.ts";
import { assertFits, type PlannedUse } from "./bundle-limit.ts";
import { CoLiterals } from "./co-literals.ts";
import {
  kindsOf,
  type LiteralTables,
  type LiteralUse,
  literalOf,
  literalWindows,
  type Report,
  usesByLiteral,
} from "./literal-hits.ts";
import { PatternGroups, type PatternUse } from "./pattern-groups.ts";
import { comparedPhrase } from "./phrase.ts";
import { planOf } from "./spec-plan.ts";
import { TableCache } from "./table-cache.ts";

/** Scans single forms of a text. */
export interface FormScanner {
  /** The detections in one form, by the keys of specs, before they are settled. */
  readonly scanForm: (view: View) => ReadonlyMap<string, readonly Detection[]>;
}

/** Options for compiling detectors. */
export interface ScannerOptions {
  /** Weights of models. Default: none. */
  readonly models?: Models;
  readonly work?: SearchWork;
  /** Where the large tables come from. Default: they are built. */
  readonly tableCache?: TableCache;
}

/**
 * Compiles detectors whose parameters were checked. Throws for an unknown detector or for parameters that `check`
 * refuses.
 */
export function compileDetectors(specs: readonly DetectorSpec[], options: ScannerOptions = {}): Scanner & FormScanner {
  return finish(detectorSteps(specs, options));
}

/** The same, step by step. */
export function* detectorSteps(
  specs: readonly DetectorSpec[],
  { models = new Map(), work, tableCache = new TableCache() }: ScannerOptions = {},
): Generator<void, Scanner & FormScanner> {
  const jobs: Job[] = [];
  for (const spec of specs) {
    jobs.push({ key: spec.key, use: spec.use, plan: planOf(spec, models) });
    yield;
  }
  const plans = jobs.map((job) => job.plan);
  assertFits(jobs);
  const tables = yield* buildTables(plans, tableCache);
  const wanted = jobs.reduce((bits, job) => bits | job.plan.reads, 0);
  const scanForms = (views: readonly View[], windows = noWindows, lap?: Lap, isFaint = false): Detection[][] => {
    const found = jobs.map((): Detection[] => []);
    const units = views[0]?.text.length ?? 0;
    const limits = { work, budget: { left: patternBudgetOf(units) }, groupBudget: { left: groupBudget } };
    const lapOf = lap && ((job: number | undefined) => lap(job === undefined ? undefined : jobs[job]?.key));
    for (const view of views) {
      const known = (job: number) => windows.of(jobs[job]?.key ?? "", view.kinds);
      scanView(tables, view, { ...limits, known, lap: lapOf, isFaint }, (job, finding) =>
        found[job]?.push(detectionOf(view, finding)),
      );
    }
    return found;
  };
  return {
    scan: (text, windows, source = "chat", lap = undefined) => {
      const views = viewsOf(text, wanted);
      lap?.(undefined);
      return settle(jobs, scanForms(views, windows, lap), { source, lap });
    },
    scores: (text, source = "chat") => {
      const found = scanForms(viewsOf(text, wanted), noWindows, undefined, true);
      return new Map(
        jobs.map(({ key, plan }, job) => {
          const { settle, settleFaint = settle } = plan;
          return [key, strongest(settleFaint(found[job] ?? [], source))];
        }),
      );
    },
    scanForm: (view) => {
      const found = scanForms([view]);
      return new Map(jobs.map(({ key }, job) => [key, found[job] ?? []]));
    },
    preparePatterns: () => preparePatterns(tables.patterns),
    prepareTables: () => tables.patternGroups.prepare(),
    formsOf: (text) => viewsOf(text, wanted).map((view) => formOf(view, jobs)),
  };
}

function strongest(detections: readonly Detection[]): Detection | undefined {
  return detections.reduce<Detection | undefined>(
    (best, each) => (best === undefined || each.score > best.score ? each : best),
    undefined,
  );
}

function* preparePatterns(uses: readonly PatternUse[]): Generator<void, void> {
  for (const { probe } of uses) {
    void probe.pattern.engine;
    yield;
    void probe.pattern.finder;
    yield;
  }
}

function formOf({ layer, kinds, text, original }: View, jobs: readonly Job[]): TextForm {
  const [start, end] = original(0, text.length);
  const readers = jobs.filter(({ plan }) => (plan.reads & kinds) !== 0).map(({ key }) => key);
  return { layer, text, start, end, readers };
}

/**
 * The work that building automata may cost in one scan, in visited instructions of patterns: some milliseconds each. A
 * long text may have the literals of hundreds of patterns, each of which needs some states that no text needed before.
 */
const patternBudget = { least: 500_000, perUnit: 8 };
const groupBudget = 300_000;

function patternBudgetOf(units: number): number {
  return patternBudget.least + patternBudget.perUnit * units;
}

/** Units of a long text that are swept at a time. */
const sweepStep = 4_096;

const noWindows: KnownWindows = { of: () => [] };

interface ScanLimits extends SearchLimits {
  readonly groupBudget: BuildBudget;
  readonly known: (job: number) => readonly (Finding | undefined)[];
  /** Measures the time of parts, by job; undefined for work that serves all jobs. */
  readonly lap: ((job: number | undefined) => void) | undefined;
  /** Whether windows also report scores that are too low for a finding. */
  readonly isFaint: boolean;
}

interface Job extends PlannedUse {
  readonly key: string;
}

interface SweepUse {
  readonly job: number;
  readonly sweep: Sweep;
}

interface WindowUse {
  readonly job: number;
  readonly probe: WindowProbe;
}

interface Tables extends LiteralTables {
  readonly patternGroups: PatternGroups;
  readonly sweeps: readonly SweepUse[];
  readonly windows: readonly WindowUse[];
  /** The forms of a text that each job reads. */
  readonly reads: readonly number[];
}

function* buildTables(plans: readonly Plan[], tableCache: TableCache): Generator<void, Tables> {
  const found: LiteralUse[] = [];
  const patterns: PatternUse[] = [];
  const sets = new Map<string, number>();
  const coLiteralSetOf: number[] = [];
  for (const [job, plan] of plans.entries()) {
    yield* inBatches(plan.phrases, (phrase) => {
      found.push({ kind: "phrase", job, phrase: comparedPhrase(phrase) });
    });
    for (const trigger of plan.triggers)
      found.push({ kind: "trigger", job, trigger, literal: letterFoldText(trigger.literal) });
    yield* inBatches(plan.patterns, (probe) => {
      for (const required of probe.pattern.requiredLiterals)
        found.push({ kind: "required", pattern: patterns.length, required });
      coLiteralSetOf.push(addCoLiterals(probe.pattern.coLiterals, sets, found));
      patterns.push({ job, probe });
    });
    yield;
  }
  const { tables, ...numbered } = tableCache.index(found.map(literalOf));
  yield;
  const uses = yield* usesByLiteral(found, numbered);
  return {
    index: openLiteralIndex(tables),
    uses,
    kinds: kindsOf(uses),
    patterns,
    coLiterals: new CoLiterals(
      uses.map(({ coLiterals }) => coLiterals),
      sets.size,
    ),
    coLiteralSetOf,
    patternGroups: new PatternGroups(
      patterns.filter(({ probe }) => probe.pattern.requiredLiterals.length === 0),
      (job) => plans[job]?.reads ?? 0,
      tableCache,
    ),
    sweeps: plans.flatMap((plan, job) => plan.sweeps.map((sweep) => ({ job, sweep }))),
    windows: plans.flatMap(({ window }, job) => (window === undefined ? [] : [{ job, probe: window }])),
    reads: plans.map((plan) => plan.reads),
  };
}

// Patterns with the same co-literals share a set.
function addCoLiterals(literals: readonly string[], sets: Map<string, number>, found: LiteralUse[]): number {
  if (literals.length === 0) return -1;
  const key = literals.join("\u0000");
  const known = sets.get(key);
  if (known !== undefined) return known;
  const set = sets.size;
  sets.set(key, set);
  for (const literal of literals) found.push({ kind: "co-literal", set, literal });
  return set;
}

function scanView(tables: Tables, view: View, limits: ScanLimits, report: Report): void {
  const { text } = view;
  const { lap } = limits;
  const readsView = (job: number): boolean => ((tables.reads[job] ?? 0) & view.kinds) !== 0;
  const windows = literalWindows(tables, view, { readsView, report, lap });
  lap?.(undefined);
  for (const [pattern, { windows: parts, starts }] of windows) {
    const use = tables.patterns[pattern];
    if (use === undefined) continue;
    const within = { ...limits, starts };
    parts.each((from, to) => searchPart(use, view, from, to, within, report));
    lap?.(use.job);
  }
  const searched = tables.patternGroups.matching(view, readsView, limits.groupBudget);
  lap?.(undefined);
  for (const use of searched) {
    searchPart(use, view, 0, text.length, limits, report);
    lap?.(use.job);
  }
  for (const { job, sweep } of tables.sweeps) {
    if (!readsView(job)) continue;
    sweepText(sweep, text, { report: (finding) => report(job, finding), lap: () => lap?.(job) });
  }
  for (const { job, probe } of tables.windows) {
    if (!readsView(job)) continue;
    const score = ((limits.isFaint ? probe.faint : undefined) ?? probe.open)();
    scoreWindows(probe.windowsOf(text.length), score, text, limits.known(job), (finding) => report(job, finding));
    lap?.(job);
  }
}

// Sweeps a long text in steps, as a stream would, so that a sweep that takes too long can be aborted.
function sweepText(
  sweep: Sweep,
  text: string,
  { report, lap }: { readonly report: (finding: Finding) => void; readonly lap: () => void },
): void {
  const { open } = sweep;
  const step = open === undefined || text.length < 2 * sweepStep ? text.length : sweepStep;
  for (let from = 0, to = step; ; to += step) {
    const isLast = to >= text.length;
    const part = isLast ? text : text.slice(0, to);
    const edge = isLast ? text.length : (open?.(part, from) ?? from);
    if (edge > from || isLast)
      for (const finding of sweep(part, from, edge)) if (isLast || finding.start < edge) report(finding);
    lap();
    if (isLast) return;
    from = edge;
  }
}

function scoreWindows(
  windows: readonly (readonly [number, number])[],
  score: ScoreWindow,
  text: string,
  known: readonly (Finding | undefined)[],
  report: (finding: Finding) => void,
): void {
  for (const [index, [from, to]] of windows.entries()) {
    const finding = index < known.length ? known[index] : score(text, from, to);
    if (finding !== undefined) report(finding);
  }
}

function searchPart(use: PatternUse, view: View, from: number, to: number, limits: ScanLimits, report: Report): void {
  const { pattern, folded, accept } = use.probe;
  const text = folded ? view.folded() : view.text;
  for (const match of findMatches(pattern, text, from, to, limits)) {
    const finding = accept(match, text);
    if (finding !== undefined) report(use.job, finding);
  }
}

function detectionOf(view: View, finding: Finding): Detection {
  const [start, end] = view.original(finding.start, finding.end);
  const { category, score, attributes } = finding;
  const layer = view.layerAt(finding.start, finding.end);
  return attributes === undefined
    ? { category, start, end, score, layer }
    : { category, start, end, score, layer, attributes };
}

function settle(
  jobs: readonly Job[],
  found: readonly Detection[][],
  { source, lap }: { readonly source: TextSource; readonly lap: Lap | undefined },
): ReadonlyMap<string, readonly Detection[]> {
  const result = new Map<string, readonly Detection[]>();
  jobs.forEach(({ key, plan }, index) => {
    const detections = found[index] ?? [];
    const settled = detections.length === 0 ? [] : [...plan.settle(detections, source)].sort(byOffset);
    if (settled.length > 0) result.set(key, settled);
    lap?.(key);
  });
  return result;
}

function byOffset(a: Detection, b: Detection): number {
  return a.start - b.start || a.end - b.end || (a.category < b.category ? -1 : a.category > b.category ? 1 : 0);
}

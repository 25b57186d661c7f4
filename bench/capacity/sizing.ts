// What an installation needs for so many evaluations a day, from figures that were measured on one machine. It assumes
// that traffic peaks at three times its mean, that a core is loaded to 60 % at the peak, and that costs grow with the
// number of evaluations and nothing else.

/** What one evaluation costs. Bytes are those of tables with their indexes. */
export interface Figures {
  /** CPU of the runtime for a text that it has not seen. */
  readonly evaluateUs: number;
  /** CPU of the runtime to report an evaluation with its record, and to count one. */
  readonly reportUs: number;
  readonly countUs: number;
  /** CPU of the control plane and of the database to store an evaluation with its record. */
  readonly storePlaneUs: number;
  readonly storeDatabaseUs: number;
  /** The same to take one that is only counted. */
  readonly takePlaneUs: number;
  readonly takeDatabaseUs: number;
  /** Stored for an evaluation with a trace. */
  readonly traceBytes: number;
  /** Counts of an environment with five agents at two stages, for each minute. */
  readonly minuteBytes: number;
}

/** Traffic, and of how much of it there are traces. */
export interface Scenario {
  readonly name: string;
  readonly evaluationsPerDay: number;
  /** Percent of the evaluations with the outcome ALLOW that have a trace. */
  readonly allowPercent: number;
}

/** What the scenario needs. */
export interface Sizing {
  readonly peakPerSecond: number;
  /** Share of the evaluations that have a trace. */
  readonly tracedShare: number;
  readonly runtimeCores: number;
  readonly planeCores: number;
  readonly databaseCores: number;
  /** Traces of a day. */
  readonly gigabytesPerDay: number;
  /** Rows of a day: a trace and its key. */
  readonly rowsPerDay: number;
}

/** The evaluations with another outcome than ALLOW, which all have a trace: as in the bench's traffic. */
export const otherShare = 0.005;
const peakFactor = 3;
const load = 0.6;
const minutesPerDay = 1_440;

/** The three scenarios that capacity is told for. */
export const scenarios: readonly Scenario[] = [
  { name: "10 M", evaluationsPerDay: 1e7, allowPercent: 100 },
  { name: "1 G", evaluationsPerDay: 1e9, allowPercent: 5 },
  { name: "10 G", evaluationsPerDay: 1e10, allowPercent: 1 },
];

/** What a scenario needs. */
export function sizingOf(figures: Figures, { evaluationsPerDay, allowPercent }: Scenario): Sizing {
  const peakPerSecond = (evaluationsPerDay / 86_400) * peakFactor;
  const tracedShare = otherShare + (1 - otherShare) * (allowPercent / 100);
  const cores = (microseconds: number) => (peakPerSecond * microseconds) / 1e6 / load;
  const mixed = (traced: number, counted: number) => tracedShare * traced + (1 - tracedShare) * counted;
  const traces = evaluationsPerDay * tracedShare;
  return {
    peakPerSecond,
    tracedShare,
    runtimeCores: cores(figures.evaluateUs + mixed(figures.reportUs, figures.countUs)),
    planeCores: cores(mixed(figures.storePlaneUs, figures.takePlaneUs)),
    databaseCores: cores(mixed(figures.storeDatabaseUs, figures.takeDatabaseUs)),
    gigabytesPerDay: (traces * figures.traceBytes + minutesPerDay * figures.minuteBytes) / 1e9,
    rowsPerDay: 2 * traces,
  };
}

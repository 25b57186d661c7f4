// Measurements that every call takes. prom-client looks up labels by a text that it builds each time, which costs more
// than a small evaluation. Here a label set is bound once, to counters of its own, and prom-client reads them when it
// is scraped.

import { Counter, Histogram, type MetricObjectWithValues, type MetricValueWithName, type Registry } from "prom-client";

/** The name of a tally. */
export interface TallyOptions {
  readonly name: string;
  readonly help: string;
  readonly registry: Registry;
}

type Labels = Readonly<Record<string, string>>;

/** A histogram whose label sets are bound before they are observed. */
export class TallyHistogram extends Histogram {
  readonly #name: string;
  readonly #help: string;
  readonly #bounds: readonly number[];
  readonly #series: { readonly labels: Labels; readonly counts: Float64Array; sum: number }[] = [];

  constructor({
    name,
    help,
    registry,
    labelNames,
    buckets,
  }: TallyOptions & { readonly labelNames: readonly string[]; readonly buckets: readonly number[] }) {
    super({ name, help, labelNames: [...labelNames], buckets: [...buckets], registers: [registry] });
    this.#name = name;
    this.#help = help;
    this.#bounds = buckets;
  }

  /** Returns a function that observes values under these labels. */
  bind(labels: Labels): (value: number) => void {
    const bounds = this.#bounds;
    // The last counter is for values above all bounds.
    const counts = new Float64Array(bounds.length + 1);
    const series = { labels, counts, sum: 0 };
    this.#series.push(series);
    return (value) => {
      let place = 0;
      while (place < bounds.length && value > (bounds[place] ?? 0)) place++;
      counts[place] = (counts[place] ?? 0) + 1;
      series.sum += value;
    };
  }

  override async get(): Promise<MetricObjectWithValues<MetricValueWithName<string>>> {
    const values = this.#series.flatMap(({ labels, counts, sum }) => {
      const bucket = `${this.#name}_bucket`;
      let count = 0;
      const steps = [...counts].map((each, place) => {
        count += each;
        return { labels: { le: this.#bounds[place] ?? "+Inf", ...labels }, value: count, metricName: bucket };
      });
      return [
        ...steps,
        { labels, value: sum, metricName: `${this.#name}_sum` },
        { labels, value: count, metricName: `${this.#name}_count` },
      ];
    });
    const told = { name: this.#name, help: this.#help, type: "histogram", values, aggregator: "sum" };
    // Declared with a number for its type and a function, neither of which prom-client gives or takes.
    return told as unknown as MetricObjectWithValues<MetricValueWithName<string>>;
  }

  /** Called by a registry when it is scraped. */
  getForPromString(): Promise<MetricObjectWithValues<MetricValueWithName<string>>> {
    return this.get();
  }
}

/** A counter whose label sets are bound before they are counted; returns what binds them. */
export function createTally({
  name,
  help,
  registry,
  labelNames,
}: TallyOptions & { readonly labelNames: readonly string[] }): (labels: Labels) => () => void {
  const series: { readonly labels: Labels; count: number }[] = [];
  new Counter({
    name,
    help,
    labelNames: [...labelNames],
    registers: [registry],
    collect() {
      this.reset();
      for (const { labels, count } of series) this.inc(labels, count);
    },
  });
  return (labels) => {
    const own = { labels, count: 0 };
    series.push(own);
    return () => {
      own.count++;
    };
  };
}

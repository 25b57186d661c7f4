import type { ComponentProps } from "react";
import { en } from "../../text/en.ts";
import type { Asked } from "../field.tsx";
import { FoundChoice } from "./found-choice.tsx";

/** A dataset, as far as a choice shows it. */
interface Entry {
  readonly id: string;
  readonly name: string;
  readonly version: number;
}

type Further = NonNullable<ComponentProps<typeof FoundChoice>["further"]>;

/** The call that answers the datasets, with its first entries. */
interface Datasets extends Asked {
  readonly first: readonly Entry[] | undefined;
  readonly further: (Omit<Further, "found"> & { readonly found: readonly Entry[] }) | undefined;
}

/** A choice among the datasets with samples, by the name with the version that a run takes: the newest. */
export function DatasetSelect({
  datasets,
  fault,
}: {
  readonly datasets: Datasets;
  readonly fault: string | undefined;
}) {
  const { first = [], further, ...asked } = datasets;
  return (
    <FoundChoice
      label={en.benchmarks.dataset}
      fault={fault}
      name="dataset"
      asked={asked}
      required
      choices={usableOf(first)}
      further={further && { ...further, found: usableOf(further.found) }}
    />
  );
}

function usableOf(datasets: readonly Entry[]) {
  return datasets
    .filter(hasSamples)
    .map(({ id, name, version }) => ({ id, name: en.benchmarks.ofVersion(name, version) }));
}

/** Whether a run can take it. */
export function hasSamples({ version }: { readonly version: number }): boolean {
  return version > 0;
}

// The samples that benchmarks name, as the benchmark had them, and what has become of each since.

import { useQuery } from "@connectrpc/connect-query";
import type { Sample } from "../../../gen/policyguard/control/v1/dataset_sample_pb.ts";
import { DatasetService } from "../../../gen/policyguard/control/v1/dataset_service_pb.ts";
import { failureOf } from "../../data/failure.ts";
import { useOrganization } from "../../data/organization.ts";

const { method } = DatasetService;

/** What has become of a sample since the version that was measured. */
export type SinceThen = "same" | "changed" | "deleted";

/** What is known of a sample: it is loaded; or it is there; or an erasure, or the deletion of its dataset, took it. */
export type FoundSample =
  | "loading"
  | "unread"
  | "erased"
  | "dataset_deleted"
  | { readonly sample: Sample; readonly since: SinceThen };

/** The samples of a page of ids. */
export interface FoundSamples {
  readonly of: (id: string) => FoundSample;
  /** Why they could not be read; null when they could, or when the dataset is deleted. */
  readonly error: Error | null;
  readonly retry: () => void;
}

/**
 * Reads samples by their ids, at most 200. The newest version has most of them as they were measured; only the others
 * are read from the version of then.
 */
export function useSamples(
  { datasetId, version }: { readonly datasetId: string; readonly version: number },
  ids: readonly string[],
): FoundSamples {
  const { orgId } = useOrganization();
  const place = { orgId, datasetId };
  const newest = useQuery(
    method.listSamples,
    { ...place, sampleIds: [...ids], limit: ids.length },
    { enabled: ids.length > 0 },
  );
  const now = newest.data && byId(newest.data.samples);
  const others = now === undefined ? [] : ids.filter((id) => (now.get(id)?.sinceVersion ?? version + 1) > version);
  const former = useQuery(
    method.listSamples,
    { ...place, version, sampleIds: others, limit: others.length },
    { enabled: others.length > 0 },
  );
  const then = former.data && byId(former.data.samples);
  const error = newest.error ?? former.error;
  const isDeleted = error !== null && failureOf(error).kind === "gone";
  return {
    error: isDeleted ? null : error,
    retry: () => void (newest.error === null ? former.refetch() : newest.refetch()),
    of: (id) => {
      if (isDeleted) return "dataset_deleted";
      if (error !== null) return "unread";
      return foundSample(id, { now, then, isSame: !others.includes(id) });
    },
  };
}

function foundSample(
  id: string,
  {
    now,
    then,
    isSame,
  }: {
    readonly now: ReadonlyMap<string, Sample> | undefined;
    readonly then: ReadonlyMap<string, Sample> | undefined;
    readonly isSame: boolean;
  },
): FoundSample {
  if (now === undefined) return "loading";
  const newest = now.get(id);
  if (newest !== undefined && isSame) return { sample: newest, since: "same" };
  if (then === undefined) return "loading";
  const former = then.get(id);
  if (former === undefined) return "erased";
  return { sample: former, since: newest === undefined ? "deleted" : "changed" };
}

function byId(samples: readonly Sample[]): ReadonlyMap<string, Sample> {
  return new Map(samples.map((sample) => [sample.id, sample]));
}

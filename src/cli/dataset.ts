// What the commands about datasets share.

import { type Dataset, type DatasetLicence, DatasetStateSchema } from "../../gen/policyguard/control/v1/dataset_pb.ts";
import { refusal } from "./failure.ts";
import { columns, type Output, shown } from "./output.ts";
import { allPages, isId, type Organization } from "./server.ts";
import { nameOf } from "./trace-filter.ts";

/** All datasets that the credential reaches, newest first. */
export function allDatasets({ datasets, orgId }: Organization, projectId?: string): Promise<Dataset[]> {
  return allPages(async (page) => {
    const { datasets: items, total } = await datasets.listDatasets({ orgId, projectId, ...page });
    return { items, total };
  });
}

/** The id of a dataset that was given by its id or its name. */
export async function datasetIdOf(server: Organization, given: string): Promise<string> {
  if (isId(given)) return given;
  const found = (await allDatasets(server)).find(({ name }) => name === given);
  if (found === undefined) throw refusal("not_found", `there is no dataset "${given}" that this credential reaches`);
  return found.id;
}

/** Prints datasets as a table. */
export function printDatasets(datasets: readonly Dataset[], output: Output): void {
  const rows = datasets.map(({ id, name, version, sampleCount, state, licence }) => [
    ...[name, `version ${version}`, `${sampleCount} samples`, stateOf(state), licenceText(licence), id],
  ]);
  for (const line of columns(rows)) output.line(shown(line));
}

function stateOf(state: Dataset["state"]): string {
  return nameOf(DatasetStateSchema, state);
}

function licenceText(licence: DatasetLicence | undefined): string {
  return licence?.spdx ?? "-";
}

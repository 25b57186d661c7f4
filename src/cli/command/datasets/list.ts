import {
  CatalogKind,
  type DatasetCatalogEntry,
  DatasetCatalogEntrySchema,
} from "../../../../gen/policyguard/control/v1/dataset_catalog_pb.ts";
import { DatasetSchema } from "../../../../gen/policyguard/control/v1/dataset_pb.ts";
import { defineCommand } from "../../command.ts";
import { allDatasets, printDatasets } from "../../dataset.ts";
import { exitCodes } from "../../failure.ts";
import { columns, shown } from "../../output.ts";
import { resourceJson } from "../../resource-json.ts";
import { allPages, openOrganization, projectIdOf, serverOptions } from "../../server.ts";

/** `policy-guard datasets list`: lists datasets, or what can be installed. */
export const datasetsList = defineCommand({
  name: "datasets list",
  summary: "List the datasets, or with --catalog those that can be installed.",
  positionals: { label: "", min: 0, max: 0 },
  options: {
    ...serverOptions,
    project: { type: "string", value: "ID|NAME", help: "Only datasets of this project." },
    catalog: { type: "boolean", help: "List what `datasets install` installs." },
  },
  async run({ values, output, world }) {
    const server = await openOrganization(values, world);
    const { orgId } = server;
    if (values.catalog === true) {
      const entries = await allPages(async (page) => {
        const { entries: items, total } = await server.datasets.getDatasetCatalog({ orgId, ...page });
        return { items, total };
      });
      output.json({ entries: entries.map((entry) => resourceJson(DatasetCatalogEntrySchema, entry)) });
      for (const line of columns(entries.map(entryRow))) output.line(shown(line));
      return exitCodes.fine;
    }
    const projectId = values.project === undefined ? undefined : await projectIdOf(server, values.project);
    const datasets = await allDatasets(server, projectId);
    output.json({ datasets: datasets.map((dataset) => resourceJson(DatasetSchema, dataset)) });
    printDatasets(datasets, output);
    if (datasets.length === 0) output.line("there is none");
    return exitCodes.fine;
  },
});

function entryRow({ name, rows, licence, kind, title }: DatasetCatalogEntry): string[] {
  const where = kind === CatalogKind.BUILTIN ? "ships with the product" : "of others";
  return [name, `${rows} samples`, licence?.spdx ?? "-", where, title];
}

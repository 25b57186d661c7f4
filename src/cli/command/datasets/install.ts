import { DatasetSchema, DatasetState } from "../../../../gen/policyguard/control/v1/dataset_pb.ts";
import { defineCommand } from "../../command.ts";
import { printDatasets } from "../../dataset.ts";
import { exitCodes, refusal } from "../../failure.ts";
import { resourceJson } from "../../resource-json.ts";
import { openOrganization, projectIdOf, serverOptions } from "../../server.ts";

/** `policy-guard datasets install`: installs a dataset of the catalog. */
export const datasetsInstall = defineCommand({
  name: "datasets install",
  summary: "Install a dataset of the catalog.",
  positionals: { label: "<entry>", min: 1, max: 1 },
  options: {
    ...serverOptions,
    "accept-licence": { type: "boolean", help: "You have read the licence of the entry, and accept it." },
    url: { type: "string", value: "URL", help: "Where the server fetches the file of an entry of others." },
    name: { type: "string", value: "NAME", help: "Name of the dataset; default: that of the entry." },
    project: { type: "string", value: "ID|NAME", help: "The project that it belongs to; default: all of them." },
  },
  notes: `\`policy-guard datasets list --catalog\` lists the entries. One that ships is ready at once. One of others is fetched from --url
by the server; without it, it waits for the file: \`policy-guard datasets import\` sends it.`,
  async run({ values, positionals: [catalogId = ""], output, world }) {
    const server = await openOrganization(values, world);
    const { dataset } = await server.datasets.installDataset({
      ...{ orgId: server.orgId, catalogId, acceptLicence: values["accept-licence"] === true },
      ...{ url: values.url, name: values.name },
      projectId: values.project === undefined ? undefined : await projectIdOf(server, values.project),
    });
    if (dataset === undefined) throw refusal("no_answer", "the server answered without a dataset");
    output.json(resourceJson(DatasetSchema, dataset));
    printDatasets([dataset], output);
    if (dataset.state === DatasetState.AWAITING_UPLOAD) {
      const { entries } = await server.datasets.getDatasetCatalog({ orgId: server.orgId, limit: 200 });
      const [file] = entries.find(({ id }) => id === dataset.catalogId)?.files ?? [];
      output.note(`Now send its file: policy-guard datasets import ${dataset.name} ${file?.name ?? "FILE"}`);
    }
    return exitCodes.fine;
  },
});

import {
  type AnnotationMark,
  AnnotationMarkSchema,
  MissingTextActionSchema,
  RedactedTextActionSchema,
} from "../../../gen/policyguard/control/v1/annotation_pb.ts";
import { ExportAnnotationsResponseSchema } from "../../../gen/policyguard/control/v1/annotation_service_pb.ts";
import { defineCommand } from "../command.ts";
import { allDatasets, datasetIdOf } from "../dataset.ts";
import { exitCodes } from "../failure.ts";
import { counted, shown } from "../output.ts";
import { resourceJson } from "../resource-json.ts";
import { isId, openOrganization, projectIdOf, serverOptions } from "../server.ts";
import { numberOf, timeOf } from "../trace-filter.ts";

/** `policy-guard annotations export`: makes samples of annotated traces. */
export const annotationsExport = defineCommand({
  name: "annotations export",
  summary: "Make samples of a dataset of what people said of traces.",
  positionals: { label: "<dataset>", min: 1, max: 1 },
  options: {
    ...serverOptions,
    create: { type: "boolean", help: "Create the dataset when there is none of this name." },
    project: { type: "string", value: "ID|NAME", help: "Only traces of this project." },
    env: { type: "string", value: "NAME", help: "Only traces of this environment." },
    policy: { type: "string", value: "NAME", help: "Only traces in which a rule of this policy was marked." },
    rule: { type: "string", value: "ID", help: "Only traces in which this rule was marked." },
    mark: { type: "string", value: "MARKS", help: "Marks, separated by commas; default: all four." },
    since: { type: "string", value: "TIME", help: "Only traces made at or after this time." },
    until: { type: "string", value: "TIME", help: "Only traces made before this time." },
    "missing-text": {
      type: "string",
      value: "ACTION",
      choices: ["skip", "signals_only", "fail"],
      help: "What becomes of traces without their whole text; default: skip.",
    },
    redacted: {
      type: "string",
      value: "ACTION",
      choices: ["include", "skip"],
      help: "What becomes of traces with redacted text; default: include.",
    },
  },
  notes: `The dataset is given by its name or its id. Each trace on whose mark annotators agree becomes a sample, all of them one version.
It ends with 1 when a trace became no sample for another reason than its text; the others are in the dataset.`,
  async run({ values, positionals: [dataset = ""], output, world }) {
    const server = await openOrganization(values, world);
    const projectId = values.project === undefined ? undefined : await projectIdOf(server, values.project);
    const isNew =
      values.create === true && !isId(dataset) && !(await allDatasets(server)).some(({ name }) => name === dataset);
    const marks = values.mark === undefined ? [] : values.mark.split(",");
    const done = await server.annotations.exportAnnotations({
      orgId: server.orgId,
      ...(isNew ? { dataset: { name: dataset, projectId } } : { datasetId: await datasetIdOf(server, dataset) }),
      filter: {
        ...{ projectId, environment: values.env, policy: values.policy, ruleId: values.rule },
        ...{ since: timeOf(values.since, "since"), until: timeOf(values.until, "until") },
      },
      marks: marks.flatMap((mark) => numberOf<AnnotationMark>(AnnotationMarkSchema, mark.trim(), "mark") ?? []),
      missingText: numberOf(MissingTextActionSchema, values["missing-text"], "missing-text"),
      redacted: numberOf(RedactedTextActionSchema, values.redacted, "redacted"),
    });
    output.json(resourceJson(ExportAnnotationsResponseSchema, done));
    const { exported, withoutText, redacted, duplicates, rejected, errors, version } = done;
    for (const { traceId, code, message } of errors) output.line(shown(`${traceId}: ${message} (${code})`));
    if (errors.length < rejected) output.line(`… and ${rejected - errors.length} more`);
    const of = (count: number, what: string) => (count === 0 ? "" : `, ${count} ${what}`);
    const rest = `${of(duplicates, "there already")}${of(withoutText, "without their text")}${of(redacted, "redacted")}`;
    output.line(`${counted(exported, "sample")} added${rest}${of(rejected, "refused")}; version ${version}`);
    return rejected === 0 ? exitCodes.fine : exitCodes.refused;
  },
});

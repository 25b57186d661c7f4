import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import {
  DuplicateAction,
  type SampleInput,
  type SampleSchema,
} from "../../../../gen/policyguard/control/v1/dataset_sample_pb.ts";
import type { DatasetService } from "../../../../gen/policyguard/control/v1/dataset_service_pb.ts";
import type { AddedSamples, Sample, Samples } from "../../../domain/measure/dataset/dataset-sample.ts";
import { emptySample, type SampleContent } from "../../../domain/measure/dataset/sample-content.ts";
import {
  nameOfOutcome,
  nameOfSplit,
  nameOfStage,
  outcomeOfName,
  splitOfName,
  stageOfName,
} from "../../../domain/measure/dataset/sample-name.ts";
import { callerOf } from "../../../kit/rpc/context.ts";
import { pageOf } from "../../../kit/rpc/page.ts";

/** The methods about samples. */
export type SampleMethods = Pick<
  ServiceImpl<typeof DatasetService>,
  "listSamples" | "addSamples" | "updateSample" | "deleteSample"
>;

/** Handlers of the methods about samples. */
export function sampleHandlers(samples: Samples): SampleMethods {
  return {
    listSamples: async ({ datasetId, version, label, stage, language, split, tag, sampleIds, ...request }, context) => {
      const page = { ...pageOf(request), after: request.after };
      const ids = filledList(sampleIds);
      const query = { version, label, stage: nameOfStage(stage), language, split: nameOfSplit(split), tag, ids };
      const list = await samples.list(callerOf(context), datasetId, query, page);
      const { limit, offset } = page;
      return { total: list.total, limit, offset, version: list.version, samples: list.samples.map(sampleMessage) };
    },
    addSamples: async ({ datasetId, samples: inputs, onDuplicate }, context) => {
      const contents = inputs.map((input) => ({ ...emptySample, ...contentOf(input) }));
      return addedMessage(await samples.add(callerOf(context), datasetId, contents, duplicateAction(onDuplicate)));
    },
    updateSample: async ({ datasetId, sampleId, sample, clear }, context) => {
      const given = sample === undefined ? {} : contentOf(sample);
      const change = { given, cleared: clear.map(contentName) };
      const changed = await samples.update(callerOf(context), datasetId, sampleId.toLowerCase(), change);
      return { sample: sampleMessage(changed) };
    },
    deleteSample: async ({ datasetId, sampleId }, context) => {
      await samples.remove(callerOf(context), datasetId, sampleId.toLowerCase());
      return {};
    },
  };
}

/** What the domain calls an action. */
export function duplicateAction(action: DuplicateAction): "skip" | "replace" | "reject" {
  if (action === DuplicateAction.REPLACE) return "replace";
  return action === DuplicateAction.REJECT ? "reject" : "skip";
}

/** The fields of the input that are set. */
function contentOf(input: SampleInput): Partial<SampleContent> {
  const { externalId, text, language, group, weight, isRedacted, isGray } = input;
  const isOfTools = input.toolCalls.length > 0 && text === undefined;
  const given: { [Name in keyof SampleContent]: SampleContent[Name] | undefined } = {
    ...{ externalId, text, language, group, weight, isRedacted, isGray },
    ...{ expectedOutcome: nameOfOutcome(input.expectedOutcome), split: nameOfSplit(input.split) },
    stage: nameOfStage(input.stage) ?? (isOfTools ? "tool_call" : undefined),
    segments: filledList(input.segments.map(({ role, text: piece }) => ({ role: role ?? null, text: piece }))),
    toolCalls: filledList(input.toolCalls.map(({ name, arguments: values }) => ({ name, arguments: values ?? null }))),
    ...{ labels: filledList(input.labels), tags: filledList(input.tags) },
    ...{ mustMatch: filledList(input.mustMatch), mustNotMatch: filledList(input.mustNotMatch) },
    spans: filledList(input.spans.map(({ segment, start, end, label }) => ({ segment, start, end, label }))),
    ...{ source: undefined, facts: undefined },
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

function filledList<T>(list: readonly T[]): readonly T[] | undefined {
  return list.length === 0 ? undefined : list;
}

function contentName(name: string): keyof SampleContent {
  return name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()) as keyof SampleContent; // by the rule of the field
}

/** A sample in the API's form. */
export function sampleMessage({ row, content, isTextWithheld }: Sample): MessageInitShape<typeof SampleSchema> {
  const { externalId, text, segments, toolCalls, language, labels, mustMatch, mustNotMatch, spans, source } = content;
  return {
    ...{ id: row.sampleId, externalId: externalId ?? undefined, text: text ?? undefined },
    segments: segments.map(({ role, text: piece }) => ({ role: role ?? undefined, text: piece })),
    toolCalls: toolCalls.map(({ name, arguments: values }) => ({ name, arguments: values ?? undefined })),
    ...{ stage: stageOfName(content.stage), language: language ?? undefined, labels: [...labels] },
    expectedOutcome: outcomeOfName(content.expectedOutcome),
    ...{ mustMatch: [...mustMatch], mustNotMatch: [...mustNotMatch], spans: [...spans] },
    ...{ group: content.group ?? undefined, tags: [...content.tags], split: splitOfName(content.split) },
    ...{ weight: content.weight, isRedacted: content.isRedacted, isGray: content.isGray },
    source: source === null ? undefined : { traceId: source.traceId, annotationIds: [...source.annotationIds] },
    ...{ facts: content.facts ?? undefined, contentHash: row.contentHash.toString("hex") },
    ...{ sinceVersion: row.sinceVersion, trainedOn: row.trainedOn, textWithheld: isTextWithheld },
  };
}

function addedMessage({ version, results }: AddedSamples) {
  const count = (what: string) => results.filter((result) => result.what === what).length;
  return {
    ...{ version, added: count("added"), replaced: count("replaced"), duplicates: count("duplicate") },
    rejected: count("rejected"),
    samples: results.map((result) => ({ id: result.what === "rejected" ? undefined : result.sampleId })),
    problems: results.flatMap((result, at) => {
      if (result.what !== "rejected") return [];
      const { code, field, message } = result;
      return [{ line: at + 1, field: field ?? undefined, code, message }];
    }),
  };
}

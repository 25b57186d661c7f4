import { callUnaryMethod } from "@connectrpc/connect-query";
import type { Sample } from "../../../gen/policyguard/control/v1/dataset_sample_pb.ts";
import { DatasetService } from "../../../gen/policyguard/control/v1/dataset_service_pb.ts";
import { Outcome, Stage } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { invalidate } from "../../data/invalidation.ts";
import { outcomeValues } from "../../data/outcome.ts";
import { stageName, stages } from "../../data/stage.ts";
import { transport } from "../../data/transport.ts";
import { DeedDialog } from "../../part/deed-dialog.tsx";
import { type FaultOf, Select, TextArea, TextField } from "../../part/field.tsx";
import { outcomes } from "../../part/judgement/outcome-name.ts";
import layout from "../../part/layout/layout.module.css";
import { en } from "../../text/en.ts";
import { SampleRefused } from "./sample-refused.ts";

const texts = en.datasets;
const { method } = DatasetService;

interface Place {
  readonly orgId: string;
  readonly datasetId: string;
}

/** Adds one sample, or changes one: each makes a version of the dataset. */
export function SampleDialog({
  place,
  sample,
  onClose,
}: {
  readonly place: Place;
  readonly sample?: Sample;
  readonly onClose: () => void;
}) {
  const save = async (text: (name: string) => string) => {
    if (sample === undefined) await add(place, text);
    else await change(place, sample, text);
    await invalidate(method.addSamples);
  };
  return (
    <DeedDialog
      title={sample === undefined ? texts.addTitle : texts.editTitle}
      deed={sample === undefined ? texts.confirmAdd : texts.confirmEdit}
      isWide
      onClose={onClose}
      onDo={save}
    >
      {(faultOf) => <Fields sample={sample} faultOf={faultOf} />}
    </DeedDialog>
  );
}

function Fields({ sample, faultOf }: { readonly sample: Sample | undefined; readonly faultOf: FaultOf }) {
  const fault = (name: string) => faultOf(`sample.${name}`) ?? faultOf(`samples[0].${name}`);
  return (
    <>
      {hasOwnText(sample) ? (
        <TextArea label={texts.text} fault={fault("text")} name="text" rows={6} defaultValue={sample?.text} required />
      ) : (
        <p className={layout.dim}>{texts.notText}</p>
      )}
      <div className={layout.pair}>
        <Select
          label={texts.stage}
          fault={fault("stage")}
          name="stage"
          defaultValue={sample === undefined ? "input" : stageName(sample.stage)}
        >
          {stages.map((stage) => (
            <option key={stage} value={stageName(stage)}>
              {stageName(stage)}
            </option>
          ))}
        </Select>
        <Select
          label={texts.expected}
          name="expected"
          defaultValue={sample?.expectedOutcome === undefined ? "" : outcomes[sample.expectedOutcome - 1]}
        >
          <option value="">{texts.notStated}</option>
          {outcomes.map((name) => (
            <option key={name} value={name}>
              {en.outcome[name]}
            </option>
          ))}
        </Select>
        <TextField
          label={texts.language}
          hint={texts.languageHint}
          fault={fault("language")}
          name="language"
          defaultValue={sample?.language}
          autoComplete="off"
        />
      </div>
      <TextField
        label={texts.labels}
        hint={texts.listHint}
        fault={fault("labels")}
        name="labels"
        defaultValue={sample?.labels.join(", ")}
        autoComplete="off"
      />
      <div className={layout.pair}>
        <TextField
          label={texts.mustMatch}
          hint={texts.listHint}
          fault={fault("must_match")}
          name="mustMatch"
          defaultValue={sample?.mustMatch.join(", ")}
          autoComplete="off"
        />
        <TextField
          label={texts.mustNotMatch}
          hint={texts.listHint}
          fault={fault("must_not_match")}
          name="mustNotMatch"
          defaultValue={sample?.mustNotMatch.join(", ")}
          autoComplete="off"
        />
      </div>
    </>
  );
}

/** A conversation, calls of tools and what is withheld keep their text: only what is right about them changes. */
function hasOwnText(sample: Sample | undefined): boolean {
  return sample === undefined || (sample.text !== undefined && !sample.textWithheld);
}

function saidOf(text: (name: string) => string) {
  return {
    stage: stages.find((stage) => stageName(stage) === text("stage")) ?? Stage.UNSPECIFIED,
    expectedOutcome: outcomeValues.valueOf(text("expected")) ?? Outcome.UNSPECIFIED,
    ...(text("language").trim() === "" ? {} : { language: text("language").trim() }),
    labels: listOf(text("labels")),
    mustMatch: listOf(text("mustMatch")),
    mustNotMatch: listOf(text("mustNotMatch")),
  };
}

async function add(place: Place, text: (name: string) => string): Promise<void> {
  const samples = [{ ...saidOf(text), text: text("text") }];
  const { added, problems } = await callUnaryMethod(transport, method.addSamples, { ...place, samples });
  const [problem] = problems;
  if (problem !== undefined) throw new SampleRefused(problem.field, problem.message);
  if (added === 0) throw new SampleRefused(undefined, texts.thereAlready);
}

async function change(place: Place, sample: Sample, text: (name: string) => string): Promise<void> {
  const said = saidOf(text);
  const ownText = hasOwnText(sample) && text("text") !== sample.text ? { text: text("text") } : {};
  const cleared: readonly (readonly [string, boolean])[] = [
    ["labels", said.labels.length === 0 && sample.labels.length > 0],
    ["must_match", said.mustMatch.length === 0 && sample.mustMatch.length > 0],
    ["must_not_match", said.mustNotMatch.length === 0 && sample.mustNotMatch.length > 0],
    ["expected_outcome", said.expectedOutcome === Outcome.UNSPECIFIED && sample.expectedOutcome !== undefined],
    ["language", text("language").trim() === "" && sample.language !== undefined],
    // Spans say where something is in the former text.
    ["spans", "text" in ownText && sample.spans.length > 0],
  ];
  await callUnaryMethod(transport, method.updateSample, {
    ...{ ...place, sampleId: sample.id, sample: { ...said, ...ownText } },
    clear: cleared.filter(([, is]) => is).map(([name]) => name),
  });
}

function listOf(text: string): string[] {
  const items = text.split(",").map((item) => item.trim());
  return [...new Set(items)].filter((item) => item !== "");
}

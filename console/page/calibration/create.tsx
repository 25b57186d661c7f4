import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { useQuery } from "@connectrpc/connect-query";
import { type ReactNode, useState } from "react";
import { CalibrationGrouping, CalibrationGroupingSchema } from "../../../gen/policyguard/control/v1/calibration_pb.ts";
import { CalibrationService } from "../../../gen/policyguard/control/v1/calibration_service_pb.ts";
import { PolicyService } from "../../../gen/policyguard/control/v1/policy_service_pb.ts";
import { useDatasets } from "../../data/choice/dataset.ts";
import { usePolicies } from "../../data/choice/policy.ts";
import { useProjects } from "../../data/choice/project.ts";
import { useOrganization } from "../../data/organization.ts";
import { perform } from "../../data/perform.ts";
import { wireNames } from "../../data/wire-name.ts";
import { DeedDialog } from "../../part/deed-dialog.tsx";
import { aNumber, type FaultOf, Select, TextField } from "../../part/field.tsx";
import { DatasetSelect } from "../../part/form/dataset-select.tsx";
import { FoundChoice } from "../../part/form/found-choice.tsx";
import layout from "../../part/layout/layout.module.css";
import { ProjectSelect } from "../../part/project-select.tsx";
import { useGoOn } from "../../part/shown.ts";
import { en } from "../../text/en.ts";
import { ruleIdsOf } from "./rules.ts";

const texts = en.calibrations;
const groupings = wireNames<CalibrationGrouping>(CalibrationGroupingSchema);
const dayMs = 86_400_000;
const sources = ["annotations", "dataset"] as const;
type Source = (typeof sources)[number];

/** Asks what a threshold can promise, and leads to the answer's page. */
export function CreateCalibrationDialog({ onClose }: { readonly onClose: () => void }) {
  const { orgId } = useOrganization();
  const navigate = useGoOn();
  const policies = usePolicies();
  const projects = useProjects();
  const [chosenPolicy, setPolicy] = useState<string>();
  const [chosenProject, setProject] = useState<string>();
  const [source, setSource] = useState<Source>("annotations");
  const policyId = chosenPolicy ?? policies.policies?.[0]?.id ?? "";
  const projectId = chosenProject ?? projects.project?.id ?? "";
  return (
    <DeedDialog
      title={texts.createTitle}
      deed={texts.confirmCreate}
      onClose={onClose}
      onDo={async (text) => {
        const data =
          source === "annotations"
            ? { annotations: annotationsOf(text, projectId) }
            : { dataset: { datasetId: text("dataset"), labels: listOf(text("labels")) } };
        const { calibration } = await perform(CalibrationService.method.createCalibration, {
          ...{ orgId, policyId, ruleId: text("rule"), data },
          ...optional("maxFalsePositiveRate", shareOf(text("rate"))),
          ...optional("maxFalseDiscoveryRate", shareOf(text("discoveries"))),
          by: groupings.valueOf(text("parts")) ?? CalibrationGrouping.NONE,
          ...optional("minRecall", shareOf(text("recall"))),
          ...optional("confidence", shareOf(text("confidence"))),
        });
        await navigate({ to: "/o/$org/calibrations/$run", params: { org: orgId, run: calibration?.id ?? "" } });
      }}
    >
      {(faultOf) => (
        <>
          <div className={layout.pair}>
            <FoundChoice
              label={texts.policy}
              fault={faultOf("policy_id")}
              asked={policies}
              choices={policies.policies ?? []}
              further={policies.further}
              value={policyId}
              onChange={setPolicy}
            />
            <RuleChoice policyId={policyId} fault={faultOf("rule_id")} />
          </div>
          <Select
            label={texts.by}
            value={source}
            onChange={({ target }) => setSource(sources.find((each) => each === target.value) ?? "annotations")}
          >
            {sources.map((each) => (
              <option key={each} value={each}>
                {texts.sources[each]}
              </option>
            ))}
          </Select>
          {source === "annotations" ? (
            <AnnotationFields faultOf={faultOf}>
              <ProjectSelect
                projects={projects.projects}
                further={projects.further}
                asked={projects}
                value={projectId}
                onChange={setProject}
              />
            </AnnotationFields>
          ) : (
            <DatasetFields faultOf={faultOf} />
          )}
          <PromiseFields faultOf={faultOf} />
        </>
      )}
    </DeedDialog>
  );
}

function RuleChoice({ policyId, fault }: { readonly policyId: string; readonly fault: string | undefined }) {
  const { orgId } = useOrganization();
  const policy = useQuery(PolicyService.method.getPolicy, { orgId, policyId }, { enabled: policyId !== "" });
  const rules = ruleIdsOf(policy.data?.policy?.document);
  return (
    <Select
      label={texts.rule}
      hint={policy.data !== undefined && rules.length === 0 ? texts.noRules : texts.ruleHint}
      fault={fault}
      asked={policy}
      name="rule"
      required
    >
      {rules.map((id) => (
        <option key={id} value={id}>
          {id}
        </option>
      ))}
    </Select>
  );
}

function AnnotationFields({ faultOf, children }: { readonly faultOf: FaultOf; readonly children: ReactNode }) {
  return (
    <div className={layout.pair}>
      {children}
      <TextField
        label={texts.environment}
        hint={texts.environmentHint}
        fault={faultOf("data.annotations.environment")}
        name="environment"
        autoComplete="off"
      />
      <TextField
        label={texts.days}
        fault={faultOf("data.annotations.since")}
        name="days"
        type="number"
        min={1}
        max={3_650}
        defaultValue={30}
        required
      />
    </div>
  );
}

function DatasetFields({ faultOf }: { readonly faultOf: FaultOf }) {
  const datasets = useDatasets();
  return (
    <div className={layout.pair}>
      <DatasetSelect datasets={datasets} fault={faultOf("data.dataset.dataset_id")} />
      <TextField
        label={texts.labels}
        hint={texts.labelsHint}
        fault={faultOf("data.dataset.labels")}
        name="labels"
        autoComplete="off"
      />
    </div>
  );
}

function PromiseFields({ faultOf }: { readonly faultOf: FaultOf }) {
  return (
    <div className={layout.pair}>
      <TextField
        label={texts.rate}
        fault={faultOf("max_false_positive_rate")}
        name="rate"
        {...aNumber}
        hint={texts.recallHint}
        defaultValue="0.5"
      />
      <TextField
        label={texts.discoveries}
        hint={texts.discoveriesHint}
        fault={faultOf("max_false_discovery_rate")}
        name="discoveries"
        {...aNumber}
      />
      <TextField
        label={texts.recall}
        hint={texts.recallHint}
        fault={faultOf("min_recall")}
        name="recall"
        {...aNumber}
      />
      <TextField
        label={texts.confidence}
        fault={faultOf("confidence")}
        name="confidence"
        {...aNumber}
        defaultValue="95"
      />
      <Select label={texts.parts} hint={texts.partsHint} fault={faultOf("by")} name="parts">
        {groupings.values.map((each) => (
          <option key={each} value={groupings.nameOf(each)}>
            {texts.groupings[groupings.nameOf(each)]}
          </option>
        ))}
      </Select>
    </div>
  );
}

function annotationsOf(text: (name: string) => string, projectId: string) {
  const environment = text("environment").trim();
  return {
    projectId,
    ...(environment === "" ? {} : { environment }),
    since: timestampFromDate(new Date(Date.now() - Number(text("days")) * dayMs)),
  };
}

function listOf(text: string): string[] {
  return text
    .split(",")
    .map((label) => label.trim())
    .filter((label) => label !== "");
}

/** A share of what was typed in percent. */
function shareOf(text: string): number | undefined {
  const percent = Number(text);
  return text.trim() === "" || !Number.isFinite(percent) ? undefined : Number((percent / 100).toPrecision(12));
}

function optional<Name extends string>(name: Name, value: number | undefined): { readonly [key in Name]?: number } {
  // A computed name loses its type.
  return (value === undefined ? {} : { [name]: value }) as { readonly [key in Name]?: number };
}

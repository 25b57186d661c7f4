import { useQuery } from "@connectrpc/connect-query";
import { useState } from "react";
import { BenchmarkService } from "../../../gen/policyguard/control/v1/benchmark_service_pb.ts";
import { EnvironmentService } from "../../../gen/policyguard/control/v1/environment_service_pb.ts";
import { HubService } from "../../../gen/policyguard/control/v1/hub_service_pb.ts";
import { useDatasets } from "../../data/choice/dataset.ts";
import { usePolicies } from "../../data/choice/policy.ts";
import { useProjects } from "../../data/choice/project.ts";
import { useOrganization } from "../../data/organization.ts";
import { perform } from "../../data/perform.ts";
import { DeedDialog } from "../../part/deed-dialog.tsx";
import { type FaultOf, Select, TextField } from "../../part/field.tsx";
import { DatasetSelect, hasSamples } from "../../part/form/dataset-select.tsx";
import { FoundChoice } from "../../part/form/found-choice.tsx";
import layout from "../../part/layout/layout.module.css";
import { ProjectSelect } from "../../part/project-select.tsx";
import { useGoOn } from "../../part/shown.ts";
import { en } from "../../text/en.ts";

const texts = en.benchmarks;
const maxChoices = 200;
const kinds = ["policy", "bundle", "detector"] as const;
type Kind = (typeof kinds)[number];

/** Begins a benchmark, and leads to its page. */
export function CreateBenchmarkDialog({ onClose }: { readonly onClose: () => void }) {
  const { orgId } = useOrganization();
  const navigate = useGoOn();
  const datasets = useDatasets();
  const [kind, setKind] = useState<Kind>("policy");
  const allProjects = useProjects();
  const [chosenProject, setProject] = useState<string>();
  const projectId = chosenProject ?? allProjects.project?.id ?? "";
  return (
    <DeedDialog
      title={texts.createTitle}
      text={datasets.first !== undefined && !datasets.first.some(hasSamples) ? texts.noDatasets : texts.createText}
      deed={texts.confirmCreate}
      onClose={onClose}
      onDo={async (text) => {
        const labels = text("labels")
          .split(",")
          .map((label) => label.trim())
          .filter((label) => label !== "");
        const { benchmark } = await perform(BenchmarkService.method.createBenchmark, {
          orgId,
          datasetId: text("dataset"),
          target: {
            policy: { policyId: text("policy") },
            bundle: { projectId, environment: text("environment") },
            detector: { use: text("detector") },
            ...others(kind),
          },
          ...(labels.length === 0 ? {} : { positive: { labels } }),
          sweep: text("sweep") === "on",
          // The baseline is one of a project and an environment.
          ...(kind === "bundle" ? { scope: { projectId, environment: text("environment") } } : {}),
        });
        await navigate({ to: "/o/$org/benchmarks/$run", params: { org: orgId, run: benchmark?.id ?? "" } });
      }}
    >
      {(faultOf) => (
        <>
          <DatasetSelect datasets={datasets} fault={faultOf("dataset_id")} />
          <Select
            label={texts.target}
            value={kind}
            onChange={({ target }) => setKind(kinds.find((each) => each === target.value) ?? "policy")}
          >
            {kinds.map((each) => (
              <option key={each} value={each}>
                {texts.targets[each]}
              </option>
            ))}
          </Select>
          {kind === "policy" && <PolicyChoice faultOf={faultOf} />}
          {kind === "detector" && <DetectorChoice faultOf={faultOf} />}
          {kind === "bundle" && (
            <>
              <ProjectSelect
                projects={allProjects.projects}
                further={allProjects.further}
                asked={allProjects}
                value={projectId}
                onChange={setProject}
              />
              <EnvironmentChoice projectId={projectId} faultOf={faultOf} />
            </>
          )}
          <TextField
            label={texts.positive}
            hint={texts.positiveHint}
            fault={faultOf("positive")}
            name="labels"
            autoComplete="off"
          />
          <label className={layout.check}>
            <input type="checkbox" name="sweep" defaultChecked />
            {texts.sweep}
          </label>
        </>
      )}
    </DeedDialog>
  );
}

/** The kinds that are not meant, as a message leaves them out. */
function others(kind: Kind): { readonly [key in Kind]?: undefined } {
  return Object.fromEntries(kinds.filter((each) => each !== kind).map((each) => [each, undefined]));
}

function PolicyChoice({ faultOf }: { readonly faultOf: FaultOf }) {
  const policies = usePolicies();
  return (
    <FoundChoice
      label={texts.policy}
      fault={faultOf("target")}
      name="policy"
      asked={policies}
      required
      choices={policies.policies ?? []}
      further={policies.further}
    />
  );
}

function DetectorChoice({ faultOf }: { readonly faultOf: FaultOf }) {
  const detectors = useQuery(HubService.method.listDetectors, { limit: maxChoices });
  return (
    <Select label={texts.detector} fault={faultOf("target")} name="detector" asked={detectors} required>
      {detectors.data?.detectors.map(({ name, displayName }) => (
        <option key={name} value={name}>
          {displayName}
        </option>
      ))}
    </Select>
  );
}

function EnvironmentChoice({ projectId, faultOf }: { readonly projectId: string; readonly faultOf: FaultOf }) {
  const { orgId } = useOrganization();
  const environments = useQuery(
    EnvironmentService.method.listEnvironments,
    { orgId, projectId },
    { enabled: projectId !== "" },
  );
  return (
    <Select label={texts.environment} fault={faultOf("target")} name="environment" asked={environments} required>
      {environments.data?.environments
        .filter(({ activeVersion }) => activeVersion !== undefined)
        .map(({ id, name }) => (
          <option key={id} value={name}>
            {name}
          </option>
        ))}
    </Select>
  );
}

import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { useState } from "react";
import type { PolicySummary } from "../../../gen/policyguard/control/v1/policy_pb.ts";
import type { ReplayFilter } from "../../../gen/policyguard/control/v1/replay_pb.ts";
import { ReplayService } from "../../../gen/policyguard/control/v1/replay_service_pb.ts";
import { annotationNames } from "../../data/annotation.ts";
import { mapFurther } from "../../data/choice/further.ts";
import { usePolicies } from "../../data/choice/policy.ts";
import { useProjects } from "../../data/choice/project.ts";
import { documentOf } from "../../data/document.ts";
import { draftKey, readDraft } from "../../data/draft.ts";
import { useOrganization } from "../../data/organization.ts";
import { outcomeValues } from "../../data/outcome.ts";
import { perform } from "../../data/perform.ts";
import { stageName, stages } from "../../data/stage.ts";
import { DeedDialog } from "../../part/deed-dialog.tsx";
import { Facts } from "../../part/facts.tsx";
import { type FaultOf, Select, TextField } from "../../part/field.tsx";
import { FoundChoice } from "../../part/form/found-choice.tsx";
import { outcomes } from "../../part/judgement/outcome-name.ts";
import layout from "../../part/layout/layout.module.css";
import { useGoOn } from "../../part/shown.ts";
import { en } from "../../text/en.ts";
import { dateTime } from "../../text/format.ts";
import type { ReplaySearch } from "./search.ts";

const texts = en.replays;
const dayMs = 86_400_000;
const draftPrefix = "draft:";
/** What of the list's filters is shown as it was chosen; the others have fields. */
const carried = ["policy", "detector", "category", "unjudged", "version", "mark"] as const;
/** What of them a replay cannot have. */
const left = ["session", "user"] as const;
/** The largest number that a trace's latency can be. */
const maxLatencyUs = 2 ** 31 - 1;

/** Replays all traces of a filter by a policy, or by what is unsaved of it, and leads to the page of the run. */
export function CreateReplayDialog({
  search,
  onClose,
}: {
  readonly search: ReplaySearch;
  readonly onClose: () => void;
}) {
  const { orgId, accountId } = useOrganization();
  const navigate = useGoOn();
  const asked = usePolicies();
  const policies = asked.policies ?? [];
  const [chosen, setChosen] = useState<string>();
  const by = chosen ?? policies[0]?.id ?? "";
  const draftOf = (id: string) => readDraft(draftKey(accountId, orgId, id));
  const choicesOf = (among: readonly PolicySummary[]) =>
    among.flatMap(({ id, name, version }) => [
      { id, name: en.review.newest(name, version) },
      ...(draftOf(id) === undefined ? [] : [{ id: draftPrefix + id, name: en.review.draft(name) }]),
    ]);
  return (
    <DeedDialog
      title={texts.createTitle}
      text={texts.createText}
      deed={texts.confirmCreate}
      // It leads to another page; closing would lead back.
      staysOpen
      onClose={onClose}
      onDo={async (text) => {
        const draft = by.startsWith(draftPrefix) ? draftOf(by.slice(draftPrefix.length)) : undefined;
        const { replay } = await perform(ReplayService.method.createReplay, {
          orgId,
          ...(draft === undefined ? { policyId: by } : { document: documentOf(draft.text) }),
          filter: filterOf(text, search),
          ...windowOf(text, search),
          sample: { max: Number(text("size")) },
        });
        await navigate({ to: "/o/$org/replays/$run", params: { org: orgId, run: replay?.id ?? "" } });
      }}
    >
      {(faultOf) => (
        <>
          <Carried search={search} />
          <FoundChoice
            label={texts.by}
            fault={faultOf("policy_id") ?? faultOf("document")}
            asked={asked}
            choices={choicesOf(policies)}
            further={mapFurther(asked.further, choicesOf)}
            value={by}
            onChange={setChosen}
            required
          />
          <Narrower search={search} faultOf={faultOf} />
          <Bounds search={search} faultOf={faultOf} />
        </>
      )}
    </DeedDialog>
  );
}

/** What was chosen in the list and is as it was there, and what of it a replay cannot have. */
function Carried({ search }: { readonly search: ReplaySearch }) {
  const { project: projectId, since, until, without } = search;
  const { projects } = useProjects(projectId);
  const { chip, choices } = en.traces;
  const project = projects.find(({ id }) => id === projectId)?.name ?? projectId;
  const chosen = [
    ...(project === undefined ? [] : [[en.environments.project, project] as const]),
    ...carried.flatMap((name) => {
      const value = search[name];
      return value === undefined ? [] : [[chip[name], choices[value] ?? value] as const];
    }),
    ...(since === undefined
      ? []
      : [[texts.window, `${dateTime(since)} – ${until === undefined ? texts.now : dateTime(until)}`] as const]),
  ];
  const missing = left.filter((name) => without?.split(" ").includes(name)).map((name) => chip[name]);
  return (
    <>
      {missing.length > 0 && <p role="note">{texts.without(missing.join(", "))}</p>}
      {chosen.length > 0 && <Facts facts={chosen} />}
    </>
  );
}

function Bounds({ search, faultOf }: { readonly search: ReplaySearch; readonly faultOf: FaultOf }) {
  return (
    <div className={layout.pair}>
      {search.since === undefined && (
        <TextField
          label={texts.days}
          fault={faultOf("since")}
          name="days"
          type="number"
          min={1}
          max={365}
          defaultValue={7}
          required
        />
      )}
      <TextField
        label={texts.size}
        hint={texts.sizeHint}
        fault={faultOf("sample.max")}
        name="size"
        type="number"
        min={1}
        max={1_000_000}
        defaultValue={100_000}
        required
      />
    </div>
  );
}

function Narrower({ search, faultOf }: { readonly search: ReplaySearch; readonly faultOf: FaultOf }) {
  return (
    <>
      <div className={layout.pair}>
        <TextField
          label={texts.environment}
          hint={texts.all}
          fault={faultOf("filter.environment")}
          name="environment"
          defaultValue={search.environment}
          autoComplete="off"
        />
        <TextField
          label={texts.rule}
          hint={texts.all}
          fault={faultOf("filter.rule_id")}
          name="rule"
          defaultValue={search.rule}
          autoComplete="off"
        />
        <TextField
          label={texts.agent}
          hint={texts.all}
          fault={faultOf("filter.agent_id")}
          name="agent"
          defaultValue={search.agent}
          autoComplete="off"
        />
      </div>
      <div className={layout.pair}>
        <OutcomeField name="outcome" search={search} />
        <Select label={texts.stage} name="stage" defaultValue={search.stage ?? ""}>
          <option value="">{en.common.all}</option>
          {stages.map((stage) => (
            <option key={stage} value={stageName(stage)}>
              {stageName(stage)}
            </option>
          ))}
        </Select>
        <OutcomeField name="would" search={search} />
      </div>
      <div className={layout.pair}>
        <TextField
          label={texts.language}
          hint={texts.all}
          fault={faultOf("filter.language")}
          name="language"
          defaultValue={search.language}
          autoComplete="off"
        />
        <LatencyField name="least" fault={faultOf("filter.min_latency_us")} search={search} />
        <LatencyField name="most" fault={faultOf("filter.max_latency_us")} search={search} />
      </div>
    </>
  );
}

function OutcomeField({ name, search }: { readonly name: "outcome" | "would"; readonly search: ReplaySearch }) {
  return (
    <Select label={texts[name]} name={name} defaultValue={search[name] ?? ""}>
      <option value="">{en.common.all}</option>
      {outcomes.map((each) => (
        <option key={each} value={each}>
          {en.outcome[each]}
        </option>
      ))}
    </Select>
  );
}

function LatencyField({
  name,
  fault,
  search,
}: {
  readonly name: "least" | "most";
  readonly fault: string | undefined;
  readonly search: ReplaySearch;
}) {
  return (
    <TextField
      label={texts[name]}
      hint={texts.all}
      fault={fault}
      name={name}
      type="number"
      min={0}
      max={maxLatencyUs}
      defaultValue={search[name]}
    />
  );
}

/** The window of the list, or the last days. */
function windowOf(text: (name: string) => string, { since, until }: ReplaySearch) {
  const begin = since === undefined ? Date.now() - Number(text("days")) * dayMs : Date.parse(since);
  return {
    since: timestampFromDate(new Date(begin)),
    ...(since === undefined || until === undefined ? {} : { until: timestampFromDate(new Date(until)) }),
  };
}

function filterOf(text: (name: string) => string, search: ReplaySearch) {
  const { project, policy, detector, category, version, unjudged } = search;
  const annotation = annotationNames.valueOf(search.mark);
  const stage = stages.find((each) => stageName(each) === text("stage"));
  const outcome = outcomeValues.valueOf(text("outcome"));
  const would = outcomeValues.valueOf(text("would"));
  const texted = {
    ...{
      projectId: project,
      policy,
      detector,
      category,
      unjudged,
      language: text("language").trim(),
      environment: text("environment").trim(),
    },
    ...{ ruleId: text("rule").trim(), agentId: text("agent").trim() },
  };
  const given = Object.entries(texted).filter(([, value]) => value !== undefined && value !== "");
  return {
    ...(Object.fromEntries(given) as Partial<Pick<ReplayFilter, keyof typeof texted & keyof ReplayFilter>>), // by name
    ...(outcome === undefined ? {} : { outcome }),
    ...(stage === undefined ? {} : { stage }),
    ...(version === undefined ? {} : { bundleVersion: Number(version) }),
    ...(would === undefined ? {} : { wouldBeOutcome: would }),
    ...(annotation === undefined ? {} : { annotation }),
    ...(text("least") === "" ? {} : { minLatencyUs: Number(text("least")) }),
    ...(text("most") === "" ? {} : { maxLatencyUs: Number(text("most")) }),
  };
}

// The fields of a rule, in the order in which it is read: what, when, who is told.

import type { ReactNode } from "react";
import type { Member } from "../../../gen/policyguard/control/v1/team_pb.ts";
import { Stage } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { mapFurther } from "../../data/choice/further.ts";
import { useMembers } from "../../data/choice/member.ts";
import { useProjects } from "../../data/choice/project.ts";
import { stageName, stages } from "../../data/stage.ts";
import { aNumber, type FaultOf, Select, TextField } from "../../part/field.tsx";
import { Choice } from "../../part/form/choice.tsx";
import { FoundChoice } from "../../part/form/found-choice.tsx";
import layout from "../../part/layout/layout.module.css";
import { ProjectSelect } from "../../part/project-select.tsx";
import { en } from "../../text/en.ts";
import { type RuleForm, windows } from "./form.ts";
import { groupings, isShare, metrics, noDataNames, operators, severities } from "./metric.ts";

const texts = en.alerts;

interface FieldsProps {
  readonly form: RuleForm;
  readonly onChange: (part: Partial<RuleForm>) => void;
  readonly faultOf: FaultOf;
}

/** Name, metric and condition. */
export function ConditionFields({ form, onChange, faultOf }: FieldsProps) {
  return (
    <Group title={texts.condition}>
      <Typed name="name" label={texts.name} required {...{ form, onChange, faultOf }} />
      <Choice
        label={texts.metric}
        names={metrics}
        title={texts.metrics}
        value={form.metric}
        hint={texts.metricHints}
        onChoose={(metric) => onChange({ metric })}
      />
      <div className={layout.pair}>
        <Choice
          label={texts.operator}
          names={operators}
          title={texts.operators}
          value={form.operator}
          onChoose={(operator) => onChange({ operator })}
        />
        <Typed
          name="threshold"
          label={texts.threshold}
          inputMode="decimal"
          required
          hint={isShare(form.metric) ? texts.shareHint : undefined}
          {...{ form, onChange, faultOf }}
        />
        <Select
          label={texts.window}
          value={form.windowMinutes}
          fault={faultOf("window_minutes")}
          onChange={({ target }) => onChange({ windowMinutes: Number(target.value) })}
        >
          {windows.map((minutes) => (
            <option key={minutes} value={minutes}>
              {texts.minutes(minutes)}
            </option>
          ))}
        </Select>
      </div>
    </Group>
  );
}

/** Which evaluations count, and for what each value stands. */
export function ScopeFields({ form, onChange, faultOf }: FieldsProps) {
  const { projects, further } = useProjects();
  return (
    <Group title={texts.scope}>
      <div className={layout.pair}>
        <ProjectSelect
          projects={projects}
          further={further}
          value={form.projectId}
          all
          onChange={(projectId = "") => onChange({ projectId })}
        />
        <Typed name="environment" label={texts.environment} {...{ form, onChange, faultOf }} />
        <Typed name="agentId" label={texts.agent} {...{ form, onChange, faultOf }} />
        <Typed name="ruleId" label={texts.ofRule} {...{ form, onChange, faultOf }} />
        <Typed name="policy" label={texts.ofPolicy} {...{ form, onChange, faultOf }} />
        <Select
          label={texts.stage}
          value={form.stage}
          onChange={({ target }) =>
            onChange({ stage: stages.find((stage) => stage === Number(target.value)) ?? Stage.UNSPECIFIED })
          }
        >
          <option value={Stage.UNSPECIFIED}>{en.common.all}</option>
          {stages.map((stage) => (
            <option key={stage} value={stage}>
              {stageName(stage)}
            </option>
          ))}
        </Select>
        <Choice
          label={texts.groupBy}
          names={groupings}
          title={texts.groupings}
          value={form.groupBy}
          none={texts.whole}
          onChoose={(groupBy) => onChange({ groupBy })}
        />
      </div>
    </Group>
  );
}

/** How long, how often, and what silence of the data means. */
export function TimingFields({ form, onChange, faultOf }: FieldsProps) {
  const rest = { form, onChange, faultOf, inputMode: "decimal" } as const;
  return (
    <Group title={texts.timing}>
      <div className={layout.pair}>
        <Typed name="forMinutes" label={texts.forMinutes} required {...rest} />
        <Typed name="keepFiringMinutes" label={texts.keepFiring} required {...rest} />
        <Typed name="recoveryThreshold" label={texts.recovery} hint={texts.recoveryHint} {...rest} />
        <Typed name="minSamples" label={texts.minSamples} required {...rest} />
        <Typed name="renotifyMinutes" label={texts.renotify} hint={texts.renotifyHint} {...rest} />
        <Choice
          label={texts.noData}
          names={noDataNames}
          title={texts.noDataNames}
          value={form.noData}
          onChoose={(noData) => onChange({ noData })}
        />
      </div>
    </Group>
  );
}

/** Who is told, and how urgently. */
export function NotifyFields({ form, onChange }: FieldsProps) {
  const { members, isComplete, further } = useMembers(form.memberIds);
  // Whoever left can be taken off: a rule that names them is not saved.
  const gone = isComplete ? form.memberIds.filter((id) => !members.some((member) => member.id === id)) : [];
  const listed = further === undefined ? members : members.filter(({ id }) => form.memberIds.includes(id));
  const toggle = (id: string, isChosen: boolean) =>
    onChange({ memberIds: isChosen ? [...form.memberIds, id] : form.memberIds.filter((each) => each !== id) });
  return (
    <Group title={texts.notify}>
      <Choice
        label={texts.severity}
        names={severities}
        title={texts.severities}
        value={form.severity}
        onChoose={(severity) => onChange({ severity })}
      />
      <fieldset className={layout.set}>
        <legend>{texts.told}</legend>
        <label className={layout.check}>
          <input
            type="checkbox"
            checked={form.webhooks}
            onChange={({ target }) => onChange({ webhooks: target.checked })}
          />
          {texts.webhooks}
        </label>
        {gone.map((id) => (
          <label key={id} className={layout.check}>
            <input type="checkbox" checked onChange={() => toggle(id, false)} />
            {texts.mailToGone}
          </label>
        ))}
        {listed.map(({ id, name, email }) => (
          <label key={id} className={layout.check}>
            <input
              type="checkbox"
              checked={form.memberIds.includes(id)}
              onChange={({ target }) => toggle(id, target.checked)}
            />
            {texts.mailTo(name ?? email)}
          </label>
        ))}
      </fieldset>
      {further !== undefined && (
        <FoundChoice
          label={texts.tellAlso}
          none=""
          value=""
          choices={choicesOf(members)}
          further={mapFurther(further, choicesOf)}
          onChange={(id) => !form.memberIds.includes(id) && toggle(id, true)}
        />
      )}
    </Group>
  );
}

/** People by name, with the address that tells two of one name apart. */
function choicesOf(members: readonly Member[]) {
  return members.map(({ id, name, email }) => ({ id, name: name === undefined ? email : `${name} · ${email}` }));
}

function Group({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className={layout.stack} aria-label={title}>
      <h3>{title}</h3>
      {children}
    </section>
  );
}

type TextName = { [Name in keyof RuleForm]: RuleForm[Name] extends string ? Name : never }[keyof RuleForm];

function Typed({
  name,
  form,
  onChange,
  faultOf,
  ...field
}: FieldsProps & {
  readonly name: TextName;
  readonly label: string;
  readonly hint?: string | undefined;
  readonly required?: boolean;
  readonly inputMode?: "decimal";
}) {
  const wireName = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return (
    <TextField
      {...field}
      {...(field.inputMode === "decimal" ? aNumber : {})}
      autoComplete="off"
      value={form[name]}
      fault={faultOf(wireName) ?? faultOf(`filter.${wireName}`)}
      onChange={({ target }) => onChange({ [name]: target.value })}
    />
  );
}

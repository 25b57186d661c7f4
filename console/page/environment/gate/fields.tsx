// The fields of a gate: what every gate has, and what its kind asks for.

import { useQuery } from "@connectrpc/connect-query";
import {
  type Gate,
  type GateAction,
  GateBaselineTest,
  GateKind,
} from "../../../../gen/policyguard/control/v1/gate_pb.ts";
import { LanguageService } from "../../../../gen/policyguard/control/v1/language_service_pb.ts";
import { useDatasets } from "../../../data/choice/dataset.ts";
import { aNumber, type FaultOf, TextField } from "../../../part/field.tsx";
import { Choice } from "../../../part/form/choice.tsx";
import { FoundChoice } from "../../../part/form/found-choice.tsx";
import layout from "../../../part/layout/layout.module.css";
import { Failed } from "../../../part/state.tsx";
import { en } from "../../../text/en.ts";
import type { GateForm } from "./form.ts";
import { Limits } from "./limits.tsx";
import { baselineTests, boundedNames, enforcements, gateActions, gateKinds } from "./names.ts";

const texts = en.gates;
const maxLanguages = 200;

interface FieldsProps {
  readonly form: GateForm;
  readonly onChange: (part: Partial<GateForm>) => void;
  /** Faults of the gate's own fields, such as "candidate.alpha". */
  readonly faultOf: FaultOf;
}

/** All fields of a gate. What it asks cannot be changed later: that would be another gate. */
export function GateFields({ isNew, ...fields }: FieldsProps & { readonly isNew: boolean }) {
  const { form, onChange, faultOf } = fields;
  return (
    <>
      {isNew && (
        <div className={layout.pair}>
          <TextField
            label={texts.name}
            hint={texts.nameHint}
            fault={faultOf("id")}
            autoComplete="off"
            required
            value={form.id}
            onChange={({ target }) => onChange({ id: target.value })}
          />
          <Choice
            label={texts.kind}
            names={gateKinds}
            title={texts.kinds}
            hint={texts.kindHints}
            value={form.kind}
            onChoose={(kind) => onChange({ kind })}
          />
        </div>
      )}
      {form.kind === GateKind.CANDIDATE && <CandidateFields {...fields} />}
      {form.kind === GateKind.BENCHMARK && <BenchmarkFields {...fields} />}
      {form.kind === GateKind.REPLAY && <ReplayFields {...fields} />}
      {form.kind === GateKind.LANGUAGES && <LanguageFields {...fields} />}
      <WhenFields {...fields} />
    </>
  );
}

function WhenFields({ form, onChange }: FieldsProps) {
  const toggle = (action: GateAction, isOn: boolean) =>
    onChange({ on: isOn ? [...form.on, action] : form.on.filter((each) => each !== action) });
  return (
    <div className={layout.pair}>
      {form.kind === GateKind.CANDIDATE ? (
        <p className={layout.dim}>{texts.onlyActivate}</p>
      ) : (
        <fieldset className={layout.set}>
          <legend>{texts.on}</legend>
          {gateActions.values.map((action) => (
            <label key={action} className={layout.check}>
              <input
                type="checkbox"
                checked={form.on.includes(action)}
                onChange={({ target }) => toggle(action, target.checked)}
              />
              {texts.actions[gateActions.nameOf(action)]}
            </label>
          ))}
        </fieldset>
      )}
      <Choice
        label={texts.enforcement}
        names={enforcements}
        title={texts.enforcements}
        value={form.enforcement}
        onChoose={(enforcement) => onChange({ enforcement })}
      />
    </div>
  );
}

function CandidateFields(fields: FieldsProps) {
  const { form, onChange, faultOf } = fields;
  return (
    <div className={layout.pair}>
      <TextField
        label={texts.maxNewlyBlocked}
        fault={faultOf("candidate.max_newly_blocked")}
        {...aNumber}
        required
        value={form.maxNewlyBlocked}
        onChange={({ target }) => onChange({ maxNewlyBlocked: target.value })}
      />
      <TextField
        label={texts.alpha}
        fault={faultOf("candidate.alpha")}
        {...aNumber}
        value={form.alpha}
        onChange={({ target }) => onChange({ alpha: target.value })}
      />
      <TextField
        label={texts.minHours}
        fault={faultOf("candidate.min_hours")}
        {...aNumber}
        value={form.minHours}
        onChange={({ target }) => onChange({ minHours: target.value })}
      />
    </div>
  );
}

function ReplayFields({ form, onChange, faultOf }: FieldsProps) {
  const text = (name: "windowDays" | "minTraces" | "maxNewlyBlocked" | "maxNewlyAllowed", field: string) => ({
    fault: faultOf(`replay.${field}`),
    ...aNumber,
    value: form[name],
    onChange: ({ target }: { readonly target: { readonly value: string } }) => onChange({ [name]: target.value }),
  });
  return (
    <div className={layout.pair}>
      <TextField
        label={texts.maxNewlyBlocked}
        hint={texts.oneOfTwo}
        {...text("maxNewlyBlocked", "max_newly_blocked")}
      />
      <TextField
        label={texts.maxNewlyAllowed}
        hint={texts.oneOfTwo}
        {...text("maxNewlyAllowed", "max_newly_allowed")}
      />
      <TextField label={texts.windowDays} {...text("windowDays", "window_days")} />
      <TextField label={texts.minTraces} {...text("minTraces", "min_traces")} />
      <Choice
        label={texts.bounded}
        names={boundedNames}
        title={texts.boundeds}
        value={form.bounded}
        onChoose={(bounded) => onChange({ bounded })}
      />
    </div>
  );
}

function BenchmarkFields(fields: FieldsProps) {
  const { form, onChange, faultOf } = fields;
  const { datasets, further } = useDatasets();
  const isKept = hasHidden(form.stored);
  return (
    <>
      <div className={layout.pair}>
        <FoundChoice
          label={texts.dataset}
          fault={faultOf("benchmark.dataset_id")}
          hint={datasets?.length === 0 ? texts.noDataset : undefined}
          required
          none=""
          choices={datasets ?? []}
          further={further}
          value={form.datasetId}
          onChange={(datasetId) => onChange({ datasetId })}
        />
        <TextField
          label={texts.datasetVersion}
          hint={texts.versionHint}
          fault={faultOf("benchmark.version")}
          {...aNumber}
          placeholder={texts.newest}
          value={form.version}
          onChange={({ target }) => onChange({ version: target.value })}
        />
        <TextField
          label={texts.labels}
          hint={texts.labelsHint}
          fault={faultOf("benchmark.positive.labels")}
          value={form.labels}
          onChange={({ target }) => onChange({ labels: target.value })}
        />
      </div>
      {isKept && <p className={layout.dim}>{texts.kept}</p>}
      <Limits
        limits={form.limits}
        faultOf={(field) => faultOf(`benchmark.require${field}`)}
        onChange={(limits) => onChange({ limits })}
      />
      <div className={layout.pair}>
        <Choice
          label={texts.baseline}
          names={baselineTests}
          title={texts.baselines}
          none={texts.noBaseline}
          value={form.baseline}
          onChoose={(baseline) => onChange({ baseline })}
        />
        {form.baseline === GateBaselineTest.NON_INFERIOR && (
          <TextField
            label={texts.margin}
            fault={faultOf("benchmark.baseline.margin")}
            {...aNumber}
            value={form.margin}
            onChange={({ target }) => onChange({ margin: target.value })}
          />
        )}
      </div>
    </>
  );
}

/** Whether a stored gate has parts that these fields do not show. */
function hasHidden(stored: Gate["benchmark"]): boolean {
  return stored !== undefined && (stored.filter !== undefined || Object.keys(stored.labelMap).length > 0);
}

function LanguageFields({ form, onChange, faultOf }: FieldsProps) {
  const { data, error, refetch } = useQuery(LanguageService.method.listLanguagePacks, { limit: maxLanguages });
  const fault = faultOf("languages.required_languages");
  const toggle = (tag: string, isOn: boolean) =>
    onChange({ languages: isOn ? [...form.languages, tag] : form.languages.filter((each) => each !== tag) });
  return (
    <>
      {error !== null && <Failed error={error} onRetry={refetch} />}
      <fieldset className={layout.set}>
        <legend>{texts.languages}</legend>
        {data?.multilingual.map(({ language, name }) => (
          <label key={language} className={layout.check}>
            <input
              type="checkbox"
              checked={form.languages.includes(language)}
              onChange={({ target }) => toggle(language, target.checked)}
            />
            {name}
          </label>
        ))}
      </fieldset>
      {fault !== undefined && <p role="alert">{fault}</p>}
    </>
  );
}

import type { JsonValue } from "@bufbuild/protobuf";
import { callUnaryMethod } from "@connectrpc/connect-query";
import { type FormEvent, useState } from "react";
import type { PackDetail } from "../../../gen/policyguard/control/v1/pack_pb.ts";
import {
  type ApplyPackResponse,
  PackConflict,
  PackConflictSchema,
  PackService,
} from "../../../gen/policyguard/control/v1/pack_service_pb.ts";
import { Mode, ModeSchema } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { useOrganization } from "../../data/organization.ts";
import { perform } from "../../data/perform.ts";
import { useScopeOptions } from "../../data/scope.ts";
import { transport } from "../../data/transport.ts";
import { wireNames } from "../../data/wire-name.ts";
import { useBusy } from "../../part/busy.ts";
import { Button } from "../../part/button.tsx";
import { everywhere, ScopeFields } from "../../part/edit/scope-fields.tsx";
import { Select } from "../../part/field.tsx";
import { useUnsaved } from "../../part/form/unsaved.ts";
import { useLatest } from "../../part/latest.ts";
import layout from "../../part/layout/layout.module.css";
import { Panel } from "../../part/panel.tsx";
import { Failed } from "../../part/state.tsx";
import { en } from "../../text/en.ts";
import { ParameterInput } from "./fields.tsx";
import { changedValues, parameterFields } from "./parameter.ts";
import { Applied } from "./preview.tsx";

const texts = en.packs;
const modes = wireNames<Mode>(ModeSchema);
const conflicts = wireNames<PackConflict>(PackConflictSchema);

interface Choice {
  readonly scope: typeof everywhere;
  readonly mode: Mode;
  readonly conflict: PackConflict;
  readonly values: Readonly<Record<string, JsonValue>>;
}

const begin: Choice = { scope: everywhere, mode: Mode.UNSPECIFIED, conflict: PackConflict.FAIL, values: {} };

/** Sets a pack and applies it, after a look at what that would do. */
export function ApplyPanel({ pack }: { readonly pack: PackDetail }) {
  const { orgId } = useOrganization();
  const [choice, setChoice] = useState(begin);
  const [answer, setAnswer] = useState<ApplyPackResponse>();
  const { typed, send } = useUnsaved();
  const { run, isBusy, error } = useBusy();
  const fields = parameterFields(pack.parameters);
  const options = useScopeOptions(choice.scope.appId);
  const latest = useLatest(choice);
  const change = (part: Partial<Choice>) => {
    setChoice({ ...choice, ...part });
    // A preview is about what was chosen then.
    setAnswer(undefined);
  };
  const request = {
    orgId,
    packId: pack.name,
    version: pack.version,
    parameters: changedValues(fields, choice.values),
    ...(choice.mode === Mode.UNSPECIFIED ? {} : { mode: choice.mode }),
    conflict: choice.conflict,
    targetAppId: choice.scope.appId,
    targetEnv: choice.scope.env,
    targetAgentId: choice.scope.agentId,
  };
  const method = PackService.method.applyPack;
  const preview = (event: FormEvent) => {
    event.preventDefault();
    run(async () => {
      const shown = await callUnaryMethod(transport, method, { ...request, dryRun: true });
      if (latest.current === choice) setAnswer(shown);
    });
  };
  const apply = () => run(() => send(async () => setAnswer(await perform(method, request))));
  return (
    <Panel title={texts.apply} text={texts.applyText}>
      <form className={layout.stack} onSubmit={preview} onChange={typed}>
        {fields.map((field) => (
          <ParameterInput
            key={field.name}
            field={field}
            value={choice.values[field.name] ?? field.initial}
            onChange={(value) => change({ values: { ...choice.values, [field.name]: value } })}
          />
        ))}
        <ScopeFields value={choice.scope} onChange={(scope) => change({ scope })} {...options} />
        <div className={layout.pair}>
          <Named
            label={texts.mode}
            hint={texts.modeHint}
            names={modes}
            value={choice.mode}
            texts={texts.modes}
            none={texts.modeByDefault}
            onChange={(mode) => change({ mode })}
          />
          <Named
            label={texts.conflict}
            hint={texts.conflictHint}
            names={conflicts}
            value={choice.conflict}
            texts={texts.conflicts}
            onChange={(conflict) => change({ conflict })}
          />
        </div>
        {error !== undefined && <Failed error={error} />}
        {answer !== undefined && <Applied answer={answer} />}
        <div className={layout.row}>
          <Button type="submit" kind={answer?.dryRun ? "plain" : "primary"} disabled={isBusy}>
            {texts.preview}
          </Button>
          {answer?.dryRun && (
            <Button kind="primary" disabled={isBusy} why={whyNot(answer)} onClick={apply}>
              {texts.confirm(pack.version)}
            </Button>
          )}
        </div>
      </form>
    </Panel>
  );
}

/** Why a previewed application would be refused, or changes nothing. */
function whyNot({ tests, change }: ApplyPackResponse): string | undefined {
  if (tests.some(({ passed }) => !passed)) return texts.testsFail;
  return change === "unchanged" ? texts.changes.unchanged : undefined;
}

function Named<Value extends number>({
  label,
  hint,
  names,
  value,
  texts: words,
  none,
  onChange,
}: {
  readonly label: string;
  readonly hint: string;
  readonly names: ReturnType<typeof wireNames<Value>>;
  readonly value: Value;
  readonly texts: Readonly<Record<string, string>>;
  /** What the unset value means; without it there is none. */
  readonly none?: string;
  readonly onChange: (value: Value) => void;
}) {
  return (
    <Select
      label={label}
      hint={hint}
      value={names.nameOf(value)}
      // The empty name is that of the unspecified value, which is 0.
      onChange={({ target }) => onChange(names.valueOf(target.value) ?? (0 as Value))}
    >
      {none !== undefined && <option value="">{none}</option>}
      {names.values.map((each) => (
        <option key={each} value={names.nameOf(each)}>
          {words[names.nameOf(each)] ?? names.nameOf(each)}
        </option>
      ))}
    </Select>
  );
}

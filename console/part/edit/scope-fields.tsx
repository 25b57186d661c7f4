import { type ComponentProps, useContext, useId } from "react";
import { en } from "../../text/en.ts";
import { FormFaults, TextField } from "../field.tsx";
import { FoundChoice } from "../form/found-choice.tsx";
import layout from "../layout/layout.module.css";

const texts = en.edit;

/** Where something applies; an empty part stands for all. */
export interface ScopeValue {
  readonly appId: string;
  readonly env: string;
  readonly agentId: string;
}

/** Everywhere in the organization. */
export const everywhere: ScopeValue = { appId: "", env: "", agentId: "" };

/** The fields by which somebody says where something applies. */
export function ScopeFields({
  value,
  projects,
  further,
  environments,
  onChange,
}: {
  readonly value: ScopeValue;
  readonly projects: readonly { readonly id: string; readonly name: string }[];
  readonly further: ComponentProps<typeof FoundChoice>["further"];
  readonly environments: readonly string[];
  readonly onChange: (value: ScopeValue) => void;
}) {
  const id = useId();
  const faultOf = useContext(FormFaults);
  return (
    <fieldset className={layout.set}>
      <legend>{texts.scope}</legend>
      <FoundChoice
        label={texts.project}
        fault={faultOf("scope.app_id")}
        none={texts.allProjects}
        choices={projects}
        further={further}
        value={value.appId}
        onChange={(appId) => onChange({ ...value, appId })}
      />
      <TextField
        label={texts.environment}
        fault={faultOf("scope.env")}
        hint={texts.environmentHint}
        list={id}
        autoComplete="off"
        spellCheck={false}
        value={value.env}
        onChange={({ target }) => onChange({ ...value, env: target.value })}
      />
      <datalist id={id}>
        {environments.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <TextField
        label={texts.agent}
        fault={faultOf("scope.agent_id")}
        hint={texts.agentHint}
        autoComplete="off"
        spellCheck={false}
        value={value.agentId}
        onChange={({ target }) => onChange({ ...value, agentId: target.value })}
      />
    </fieldset>
  );
}

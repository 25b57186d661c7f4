import { useState } from "react";
import type { Environment } from "../../../gen/policyguard/control/v1/environment_pb.ts";
import { EnvironmentService } from "../../../gen/policyguard/control/v1/environment_service_pb.ts";
import { type CaptureMode, CaptureModeSchema } from "../../../gen/policyguard/policy/v1/record_pb.ts";
import { useFormDraft } from "../../data/form-draft.ts";
import { useOrganization } from "../../data/organization.ts";
import { perform } from "../../data/perform.ts";
import { wireNames } from "../../data/wire-name.ts";
import { Facts } from "../../part/facts.tsx";
import { TextField } from "../../part/field.tsx";
import { Choice } from "../../part/form/choice.tsx";
import { SavedForm } from "../../part/form/saved-form.tsx";
import layout from "../../part/layout/layout.module.css";
import { Panel } from "../../part/panel.tsx";
import { en } from "../../text/en.ts";

const texts = en.environment;
const method = EnvironmentService.method.updateEnvironment;

/** How much text is kept. */
export const captureModes = wireNames<CaptureMode>(CaptureModeSchema);

/** Who may activate into the environment, and what its runtimes report. */
export function Rules({ environment }: { readonly environment: Environment }) {
  const { can } = useOrganization();
  return (
    <Panel title={texts.rules} text={texts.rulesText}>
      {can(EnvironmentService.method.updateEnvironment) ? (
        <Form environment={environment} />
      ) : (
        <Stored environment={environment} />
      )}
    </Panel>
  );
}

function Stored({ environment }: { readonly environment: Environment }) {
  const { isProtected, isFrozen, allowGateOverride, requiredApprovals, capture, replayFacts } = environment;
  const said = (is: boolean) => (is ? texts.yes : texts.no);
  return (
    <Facts
      facts={[
        [texts.protected, said(isProtected)],
        [texts.frozen, said(isFrozen)],
        [texts.override, said(allowGateOverride)],
        [texts.approvals, texts.approvalsOf(requiredApprovals)],
        [texts.capture, texts.captures[captureModes.nameOf(capture)]],
        [texts.facts, said(replayFacts)],
      ]}
    />
  );
}

function Form({ environment }: { readonly environment: Environment }) {
  const { orgId, projectId, name: envName } = environment;
  const [capture, setCapture] = useState(environment.capture);
  const draft = useFormDraft(`environment/${environment.id}`);
  return (
    <SavedForm
      draft={draft}
      onSave={async (text) => {
        const typed = {
          isProtected: text("protected") === "on",
          isFrozen: text("frozen") === "on",
          allowGateOverride: text("override") === "on",
          requiredApprovals: Number(text("approvals")),
          replayFacts: text("facts") === "on",
          capture,
        };
        await perform(method, { orgId, projectId, envName, ...changesOf(environment, typed) });
      }}
    >
      {(faultOf) => (
        <>
          <div>
            <Check name="protected" label={texts.protected} isOn={environment.isProtected} />
            <Check name="frozen" label={texts.frozen} isOn={environment.isFrozen} />
            <Check name="override" label={texts.override} isOn={environment.allowGateOverride} />
            <Check name="facts" label={texts.facts} isOn={environment.replayFacts} />
          </div>
          <div className={layout.pair}>
            <TextField
              label={texts.approvals}
              hint={texts.approvalsHint}
              fault={faultOf("required_approvals")}
              name="approvals"
              type="number"
              min={0}
              max={10}
              required
              defaultValue={environment.requiredApprovals}
            />
            <Choice
              label={texts.capture}
              names={captureModes}
              title={texts.captures}
              hint={texts.captureHints}
              name="capture"
              value={capture}
              onChoose={setCapture}
            />
          </div>
        </>
      )}
    </SavedForm>
  );
}

function Check({ name, label, isOn }: { readonly name: string; readonly label: string; readonly isOn: boolean }) {
  return (
    <label className={layout.check}>
      <input type="checkbox" name={name} defaultChecked={isOn} />
      {label}
    </label>
  );
}

/** Only what differs, so that what somebody else sets meanwhile stays. */
function changesOf<Typed extends Partial<Environment>>(stored: Environment, typed: Typed): Partial<Typed> {
  const changed = Object.entries(typed).filter(([name, value]) => stored[name as keyof Environment] !== value);
  // `fromEntries` forgets the names.
  return Object.fromEntries(changed) as Partial<Typed>;
}

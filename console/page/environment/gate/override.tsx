import { useState } from "react";
import type { Environment } from "../../../../gen/policyguard/control/v1/environment_pb.ts";
import { TextArea } from "../../../part/field.tsx";
import layout from "../../../part/layout/layout.module.css";
import { en } from "../../../text/en.ts";
import style from "./gate.module.css";

const texts = en.gates;

/** Which closed gates somebody goes past, and why. */
export interface Override {
  readonly gates: string[];
  readonly reason: string;
}

/** Whether this person may go past the environment's gates. */
export function mayOverride({ allowGateOverride }: Environment, role: string): boolean {
  return allowGateOverride && (role === "admin" || role === "owner");
}

/** What somebody has chosen about closed gates, and whether that lets the call through. */
export function useOverride(closed: readonly string[]): {
  readonly choice: Override;
  readonly onChange: (choice: Override) => void;
  /** What the call sends; undefined while nothing is gone past. */
  readonly override: Override | undefined;
  readonly isComplete: boolean;
} {
  const [choice, onChange] = useState<Override>({ gates: [], reason: "" });
  // Gates open by themselves while the dialog is there.
  const gates = choice.gates.filter((id) => closed.includes(id));
  const reason = choice.reason.trim();
  return {
    choice: { gates, reason: choice.reason },
    onChange,
    override: gates.length === 0 || reason === "" ? undefined : { gates, reason },
    isComplete: closed.length === 0 || (gates.length === closed.length && reason !== ""),
  };
}

/** Offers to go past each closed gate; the reason is kept for ever. */
export function OverrideFields({
  closed,
  choice: { gates, reason },
  onChange,
}: {
  readonly closed: readonly string[];
  readonly choice: Override;
  readonly onChange: (choice: Override) => void;
}) {
  return (
    <fieldset className={style.set}>
      <legend>{texts.override}</legend>
      {closed.map((id) => (
        <label key={id} className={layout.check}>
          <input
            type="checkbox"
            checked={gates.includes(id)}
            onChange={({ target }) =>
              onChange({ reason, gates: target.checked ? [...gates, id] : gates.filter((each) => each !== id) })
            }
          />
          {texts.goPast(id)}
        </label>
      ))}
      <TextArea
        label={texts.reason}
        hint={texts.overrideText}
        maxLength={2000}
        value={reason}
        onChange={({ target }) => onChange({ gates, reason: target.value })}
      />
    </fieldset>
  );
}

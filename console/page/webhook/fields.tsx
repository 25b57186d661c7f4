import type { EventName } from "../../../gen/policyguard/control/v1/event_pb.ts";
import { eventNames } from "../../data/event-name.ts";
import { type FaultOf, TextField } from "../../part/field.tsx";
import layout from "../../part/layout/layout.module.css";
import { en } from "../../text/en.ts";

const texts = en.webhooks;

/** Where a webhook delivers, and what. */
export function WebhookFields({
  url,
  events,
  onChange,
  faultOf,
}: {
  readonly url?: string;
  readonly events: readonly EventName[];
  readonly onChange: (events: readonly EventName[]) => void;
  readonly faultOf: FaultOf;
}) {
  const toggle = (event: EventName, isChosen: boolean) =>
    onChange(isChosen ? [...events, event] : events.filter((each) => each !== event));
  return (
    <>
      <TextField
        label={texts.address}
        hint={texts.addressHint}
        name="url"
        type="url"
        autoComplete="off"
        defaultValue={url}
        fault={faultOf("url")}
        required
      />
      <fieldset className={layout.set}>
        <legend>{texts.events}</legend>
        {eventNames.values.map((event) => (
          <label key={event} className={layout.check}>
            <input
              type="checkbox"
              checked={events.includes(event)}
              onChange={({ target }) => toggle(event, target.checked)}
            />
            <code>{eventNames.nameOf(event)}</code>
          </label>
        ))}
      </fieldset>
    </>
  );
}

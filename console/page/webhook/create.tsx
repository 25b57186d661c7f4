import { useState } from "react";
import type { EventName } from "../../../gen/policyguard/control/v1/event_pb.ts";
import { WebhookService } from "../../../gen/policyguard/control/v1/webhook_service_pb.ts";
import { useOrganization } from "../../data/organization.ts";
import { perform } from "../../data/perform.ts";
import { DeedDialog } from "../../part/deed-dialog.tsx";
import layout from "../../part/layout/layout.module.css";
import { useShown } from "../../part/shown.ts";
import { ShownOnce } from "../../part/shown-once.tsx";
import { en } from "../../text/en.ts";
import { WebhookFields } from "./fields.tsx";

const texts = en.webhooks;

/** Adds a webhook. Its secret is shown once. */
export function CreateWebhookDialog({ onClose }: { readonly onClose: () => void }) {
  const { orgId } = useOrganization();
  const [events, setEvents] = useState<readonly EventName[]>([]);
  const [secret, setSecret] = useState<string>();
  const isShown = useShown();
  if (secret !== undefined) {
    return (
      <ShownOnce
        title={texts.secretTitle}
        text={texts.secretText}
        value={secret}
        variable="POLICY_GUARD_WEBHOOK_SECRET"
        onClose={onClose}
      />
    );
  }
  return (
    <DeedDialog
      title={texts.create}
      deed={texts.add}
      staysOpen
      onClose={onClose}
      onDo={async (text) => {
        const webhook = { orgId, url: text("url"), events: [...events], generateSecret: text("secret") === "on" };
        const created = await perform(WebhookService.method.createWebhook, webhook);
        if (created.secret !== undefined) setSecret(created.secret);
        else if (isShown.current) onClose();
      }}
    >
      {(faultOf) => (
        <>
          <WebhookFields events={events} onChange={setEvents} faultOf={faultOf} />
          <label className={layout.check}>
            <input type="checkbox" name="secret" defaultChecked />
            {texts.withSecret}
          </label>
        </>
      )}
    </DeedDialog>
  );
}

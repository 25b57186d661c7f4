import { useState } from "react";
import type { Webhook } from "../../../gen/policyguard/control/v1/webhook_pb.ts";
import { WebhookService } from "../../../gen/policyguard/control/v1/webhook_service_pb.ts";
import { perform } from "../../data/perform.ts";
import { DeedDialog } from "../../part/deed-dialog.tsx";
import { en } from "../../text/en.ts";
import { WebhookFields } from "./fields.tsx";

const texts = en.webhooks;

/** Changes the address and the events of a webhook. Its secret stays. */
export function EditWebhookDialog({ webhook, onClose }: { readonly webhook: Webhook; readonly onClose: () => void }) {
  const { id: webhookId, orgId, url } = webhook;
  const [events, setEvents] = useState(webhook.events as readonly Webhook["events"][number][]);
  return (
    <DeedDialog
      title={texts.editTitle}
      deed={en.common.save}
      onClose={onClose}
      onDo={async (text) => {
        await perform(WebhookService.method.updateWebhook, { orgId, webhookId, url: text("url"), events: [...events] });
      }}
    >
      {(faultOf) => <WebhookFields url={url} events={events} onChange={setEvents} faultOf={faultOf} />}
    </DeedDialog>
  );
}

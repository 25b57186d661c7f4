import { callUnaryMethod, useQuery } from "@connectrpc/connect-query";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import type { Webhook } from "../../../gen/policyguard/control/v1/webhook_pb.ts";
import { WebhookService } from "../../../gen/policyguard/control/v1/webhook_service_pb.ts";
import { eventNames } from "../../data/event-name.ts";
import { invalidate } from "../../data/invalidation.ts";
import { useOrganization } from "../../data/organization.ts";
import { perform } from "../../data/perform.ts";
import { transport } from "../../data/transport.ts";
import { Ago } from "../../part/ago.tsx";
import { Badge } from "../../part/badge.tsx";
import { useBusy } from "../../part/busy.ts";
import { Button } from "../../part/button.tsx";
import { DeedDialog } from "../../part/deed-dialog.tsx";
import { Facts } from "../../part/facts.tsx";
import { Page } from "../../part/page.tsx";
import { Panel } from "../../part/panel.tsx";
import { useGoOn } from "../../part/shown.ts";
import { ShownOnce } from "../../part/shown-once.tsx";
import { Answered, Failed } from "../../part/state.tsx";
import { en } from "../../text/en.ts";
import { Deliveries } from "./deliveries.tsx";
import { EditWebhookDialog } from "./edit.tsx";

const texts = en.webhooks;
const { method } = WebhookService;

/** One webhook: what it is for, whether it works, and what it sent. */
export function WebhookPage() {
  const { orgId, can } = useOrganization();
  const { webhook: webhookId } = useParams({ from: "/o/$org/settings/webhooks/$webhook" });
  const place = { orgId, webhookId };
  const query = useQuery(method.getWebhook, place);
  const webhook = query.data?.webhook;
  return (
    <Page title={webhook?.url ?? texts.title} actions={webhook && <Deeds webhook={webhook} />}>
      <Answered query={query}>{() => webhook && <About webhook={webhook} />}</Answered>
      {webhook !== undefined && can(method.listWebhookDeliveries) && <Deliveries webhook={webhook} />}
    </Page>
  );
}

function About({ webhook: { events, isActive, hasSecret, createdAt } }: { readonly webhook: Webhook }) {
  return (
    <Panel title={texts.about}>
      <Facts
        facts={[
          [texts.events, events.map(eventNames.nameOf).join(", ")],
          [
            texts.state,
            <Badge key="state" tone={isActive ? "good" : "notice"}>
              {isActive ? texts.on : texts.off}
            </Badge>,
          ],
          [texts.secret, hasSecret ? texts.hasSecret : texts.noSecret],
          [texts.since, <Ago key="since" time={createdAt} />],
        ]}
      />
    </Panel>
  );
}

function Deeds({ webhook }: { readonly webhook: Webhook }) {
  const { orgId, can } = useOrganization();
  const place = { orgId, webhookId: webhook.id };
  const navigate = useGoOn();
  const { run, isBusy, error } = useBusy();
  const [told, setTold] = useState<string>();
  const [dialog, setDialog] = useState<"edit" | "rotate" | "delete">();
  const [secret, setSecret] = useState<string>();
  const close = () => setDialog(undefined);
  const test = () =>
    run(async () => {
      const { delivered, statusCode, error: reason } = await perform(method.testWebhook, place);
      setTold(
        texts.testing(delivered, reason ?? (statusCode === undefined ? texts.noAnswer : texts.status(statusCode))),
      );
    });
  const toggle = () =>
    run(async () => {
      await perform(method.updateWebhook, { ...place, isActive: !webhook.isActive });
    });
  return (
    <>
      {told !== undefined && <span role="status">{told}</span>}
      {error !== undefined && <Failed error={error} />}
      {can(method.testWebhook) && (
        <Button disabled={isBusy} onClick={test}>
          {texts.test}
        </Button>
      )}
      {can(method.updateWebhook) && <Button onClick={() => setDialog("edit")}>{texts.edit}</Button>}
      {can(method.updateWebhook) && (
        <Button disabled={isBusy} onClick={toggle}>
          {webhook.isActive ? texts.pause : texts.resume}
        </Button>
      )}
      {can(method.rotateWebhookSecret) && <Button onClick={() => setDialog("rotate")}>{texts.rotate}</Button>}
      {can(method.deleteWebhook) && <Button onClick={() => setDialog("delete")}>{texts.delete}</Button>}
      {dialog === "edit" && <EditWebhookDialog webhook={webhook} onClose={close} />}
      {dialog === "rotate" && (
        <DeedDialog
          title={texts.rotateTitle}
          text={texts.rotateText}
          deed={texts.confirmRotate}
          onClose={close}
          onDo={async () => setSecret((await perform(method.rotateWebhookSecret, place)).secret)}
        />
      )}
      {dialog === "delete" && (
        <DeedDialog
          title={texts.deleteTitle}
          text={texts.deleteText}
          deed={texts.confirmDelete}
          isGrave
          onClose={close}
          onDo={async () => {
            await callUnaryMethod(transport, method.deleteWebhook, place);
            await navigate({ to: "/o/$org/settings/webhooks", params: { org: orgId } });
            await invalidate(method.deleteWebhook);
          }}
        />
      )}
      {secret !== undefined && (
        <ShownOnce
          title={texts.secretTitle}
          text={texts.secretText}
          value={secret}
          variable="POLICY_GUARD_WEBHOOK_SECRET"
          onClose={() => setSecret(undefined)}
        />
      )}
    </>
  );
}

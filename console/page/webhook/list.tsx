import { useQuery } from "@connectrpc/connect-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { Webhook } from "../../../gen/policyguard/control/v1/webhook_pb.ts";
import { WebhookService } from "../../../gen/policyguard/control/v1/webhook_service_pb.ts";
import { eventNames } from "../../data/event-name.ts";
import { useOrganization } from "../../data/organization.ts";
import { Ago } from "../../part/ago.tsx";
import { Badge } from "../../part/badge.tsx";
import { Button } from "../../part/button.tsx";
import { NothingYet } from "../../part/onboarding/nothing-yet.tsx";
import { Page } from "../../part/page.tsx";
import { Pager } from "../../part/pager.tsx";
import { Answered } from "../../part/state.tsx";
import { Table } from "../../part/table.tsx";
import { en } from "../../text/en.ts";
import { CreateWebhookDialog } from "./create.tsx";
import { DeliveryBadge } from "./delivery-badge.tsx";

const texts = en.webhooks;
const pageSize = 50;

/** The webhooks of the organization. */
export function WebhooksPage() {
  const { orgId, can } = useOrganization();
  const [offset, setOffset] = useState(0);
  const [isCreating, setCreating] = useState(false);
  const query = useQuery(WebhookService.method.listWebhooks, { orgId, limit: pageSize, offset });
  const create = can(WebhookService.method.createWebhook) && (
    <Button hotkey="create" kind="primary" onClick={() => setCreating(true)}>
      {texts.create}
    </Button>
  );
  return (
    <Page title={texts.title} note={query.data && en.common.total(query.data.total)} actions={create}>
      <Answered query={query}>
        {({ webhooks, total }) => (
          <>
            {total === 0 && (
              <NothingYet of="webhooks" title={texts.empty} text={texts.emptyText}>
                {create}
              </NothingYet>
            )}
            {total > 0 && <Webhooks webhooks={webhooks} />}
            <Pager offset={offset} size={pageSize} total={total} onMove={setOffset} />
          </>
        )}
      </Answered>
      {isCreating && <CreateWebhookDialog onClose={() => setCreating(false)} />}
    </Page>
  );
}

function Webhooks({ webhooks }: { readonly webhooks: readonly Webhook[] }) {
  return (
    <Table
      label={texts.title}
      rows={webhooks}
      keyOf={({ id }) => id}
      columns={[
        {
          title: texts.address,
          cell: ({ id, orgId, url }) => (
            <Link to="/o/$org/settings/webhooks/$webhook" params={{ org: orgId, webhook: id }}>
              {url}
            </Link>
          ),
        },
        { title: texts.events, phone: "below", cell: ({ events }) => events.map(eventNames.nameOf).join(", ") },
        {
          title: texts.state,
          phone: "end",
          cell: (webhook) => <State webhook={webhook} />,
        },
        { title: texts.lastDelivery, phone: "named", cell: (webhook) => <Last webhook={webhook} /> },
        { title: texts.since, phone: "named", isNumber: true, cell: ({ createdAt }) => <Ago time={createdAt} /> },
      ]}
    />
  );
}

/** Whether it is active, and whether it fails. */
function State({ webhook: { isActive, failingSince } }: { readonly webhook: Webhook }) {
  if (!isActive) return <Badge tone="notice">{texts.off}</Badge>;
  if (failingSince === undefined) return <Badge tone="good">{texts.on}</Badge>;
  return (
    <>
      <Badge tone="bad">{texts.failing}</Badge> <Ago time={failingSince} />
    </>
  );
}

function Last({ webhook: { lastDeliveryState: state, lastDeliveryAt } }: { readonly webhook: Webhook }) {
  if (state === undefined) return en.common.none;
  return (
    <>
      <DeliveryBadge state={state} /> <Ago time={lastDeliveryAt} />
    </>
  );
}

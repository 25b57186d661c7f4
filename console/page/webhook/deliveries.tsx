import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { useQuery } from "@connectrpc/connect-query";
import { keepPreviousData } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { DeliveryState, type Webhook, type WebhookDelivery } from "../../../gen/policyguard/control/v1/webhook_pb.ts";
import { WebhookService } from "../../../gen/policyguard/control/v1/webhook_service_pb.ts";
import { eventNames } from "../../data/event-name.ts";
import { useOrganization } from "../../data/organization.ts";
import { perform } from "../../data/perform.ts";
import { Ago } from "../../part/ago.tsx";
import { useBusy } from "../../part/busy.ts";
import { Button } from "../../part/button.tsx";
import { DeedDialog } from "../../part/deed-dialog.tsx";
import { Dialog, DialogActions } from "../../part/dialog.tsx";
import { Select } from "../../part/field.tsx";
import layout from "../../part/layout/layout.module.css";
import { Pager } from "../../part/pager.tsx";
import { Panel } from "../../part/panel.tsx";
import { Answered, Failed } from "../../part/state.tsx";
import { Table } from "../../part/table.tsx";
import { en } from "../../text/en.ts";
import { DeliveryBadge, deliveryStates } from "./delivery-badge.tsx";
import style from "./webhook.module.css";

const texts = en.webhooks;
const { method } = WebhookService;
const pageSize = 50;
const dayMs = 86_400_000;
const refreshMs = 5_000;

/** What a webhook sent, the newest first. */
export function Deliveries({ webhook: { id, orgId } }: { readonly webhook: Webhook }) {
  const { can } = useOrganization();
  const place = { orgId, webhookId: id };
  const [offset, setOffset] = useState(0);
  const [opened, setOpened] = useState<WebhookDelivery>();
  const [isResending, setResending] = useState(false);
  const [told, setTold] = useState<string>();
  const { state } = useSearch({ from: "/o/$org/settings/webhooks/$webhook" });
  const navigate = useNavigate({ from: "/o/$org/settings/webhooks/$webhook" });
  const wanted = [...deliveryStates].find(([, [name]]) => name === state)?.[0];
  const query = useQuery(
    method.listWebhookDeliveries,
    { ...place, limit: pageSize, offset, ...(wanted === undefined ? {} : { state: wanted }) },
    { refetchInterval: refreshMs, placeholderData: keepPreviousData },
  );
  const onFilter = (name: string) => {
    setOffset(0);
    navigate({ search: name === "" ? {} : { state: name }, replace: true });
  };
  const mayResend = can(method.redeliverFailedDeliveries);
  return (
    <Panel
      title={texts.deliveries}
      text={query.data && texts.total(query.data.total)}
      actions={mayResend && <Button onClick={() => setResending(true)}>{texts.resend}</Button>}
    >
      {told !== undefined && <p role="status">{told}</p>}
      <StateFilter value={wanted === undefined ? "" : (state ?? "")} onChange={onFilter} />
      <Answered query={query} rows={3}>
        {({ deliveries, total }) => (
          <>
            {total === 0 && <p className={layout.dim}>{wanted === undefined ? texts.noDeliveries : texts.noMatch}</p>}
            {total > 0 && <List deliveries={deliveries} onOpen={setOpened} orgId={orgId} />}
            <Pager offset={offset} size={pageSize} total={total} onMove={setOffset} />
          </>
        )}
      </Answered>
      {opened !== undefined && <Attempts delivery={opened} orgId={orgId} onClose={() => setOpened(undefined)} />}
      {isResending && (
        <DeedDialog
          title={texts.resendTitle}
          text={texts.resendText}
          deed={texts.confirmResend}
          onClose={() => setResending(false)}
          onDo={async () => {
            const since = timestampFromDate(new Date(Date.now() - dayMs));
            const { count } = await perform(method.redeliverFailedDeliveries, { ...place, since });
            setTold(texts.resent(count));
          }}
        />
      )}
    </Panel>
  );
}

function StateFilter({ value, onChange }: { readonly value: string; readonly onChange: (state: string) => void }) {
  return (
    <search className={layout.filters}>
      <Select label={texts.state} value={value} onChange={(event) => onChange(event.target.value)}>
        <option value="">{en.common.all}</option>
        {Object.entries(texts.states).map(([name, title]) => (
          <option key={name} value={name}>
            {title}
          </option>
        ))}
      </Select>
    </search>
  );
}

function List({
  deliveries,
  orgId,
  onOpen,
}: {
  readonly deliveries: readonly WebhookDelivery[];
  readonly orgId: string;
  readonly onOpen: (delivery: WebhookDelivery) => void;
}) {
  return (
    <Table
      label={texts.deliveries}
      rows={deliveries}
      keyOf={({ id }) => id}
      columns={[
        {
          title: texts.event,
          cell: (delivery) => (
            <Button kind="quiet" onClick={() => onOpen(delivery)}>
              {eventNames.nameOf(delivery.event)}
            </Button>
          ),
        },
        {
          title: texts.state,
          phone: "end",
          cell: ({ state }) => <DeliveryBadge state={state} />,
        },
        { title: texts.attempts, phone: "named", isNumber: true, cell: ({ attempts }) => attempts },
        {
          title: texts.answer,
          phone: "named",
          cell: ({ statusCode, error }) => error ?? (statusCode === undefined ? en.common.none : statusCode),
        },
        { title: texts.when, phone: "below", isNumber: true, cell: ({ createdAt }) => <Ago time={createdAt} /> },
        { title: "", phone: "deeds", isNumber: true, cell: (delivery) => <Again delivery={delivery} orgId={orgId} /> },
      ]}
    />
  );
}

function Again({ delivery, orgId }: { readonly delivery: WebhookDelivery; readonly orgId: string }) {
  const { can } = useOrganization();
  const { run, isBusy, error } = useBusy();
  const { id: deliveryId, webhookId, state, event } = delivery;
  if (!can(method.redeliverWebhookDelivery) || state === DeliveryState.PENDING) return null;
  const send = () =>
    run(async () => {
      await perform(method.redeliverWebhookDelivery, { orgId, webhookId, deliveryId });
    });
  return (
    <>
      <Button kind="quiet" disabled={isBusy} aria-label={`${texts.again}: ${eventNames.nameOf(event)}`} onClick={send}>
        {texts.again}
      </Button>
      {error !== undefined && <Failed error={error} />}
    </>
  );
}

/** Each request with what came back: text of a stranger, shown as text. */
function Attempts({
  delivery: { id: deliveryId, webhookId, event },
  orgId,
  onClose,
}: {
  readonly delivery: WebhookDelivery;
  readonly orgId: string;
  readonly onClose: () => void;
}) {
  const query = useQuery(method.getWebhookDelivery, { orgId, webhookId, deliveryId });
  return (
    <Dialog title={texts.open(eventNames.nameOf(event))} isWide onClose={onClose}>
      <Answered query={query} rows={2}>
        {({ attempts }) => (
          <ol className={style.attempts}>
            {attempts.map(({ number, durationMs, startedAt, statusCode, error, answer }) => (
              <li key={number}>
                <span>
                  {texts.attempt(number, durationMs)} · <Ago time={startedAt} /> ·{" "}
                  {error ?? (statusCode === undefined ? texts.noAnswer : texts.status(statusCode))}
                </span>
                {answer !== undefined && answer !== "" && <pre className={layout.body}>{answer}</pre>}
              </li>
            ))}
          </ol>
        )}
      </Answered>
      <DialogActions>
        <Button onClick={onClose}>{en.common.close}</Button>
      </DialogActions>
    </Dialog>
  );
}

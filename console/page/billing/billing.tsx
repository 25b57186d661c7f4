import { timestampDate } from "@bufbuild/protobuf/wkt";
import { useQuery } from "@connectrpc/connect-query";
import type { BillingSummary } from "../../../gen/policyguard/control/v1/billing_pb.ts";
import { BillingService } from "../../../gen/policyguard/control/v1/billing_service_pb.ts";
import { useOrganization } from "../../data/organization.ts";
import { Ago } from "../../part/ago.tsx";
import { Badge } from "../../part/badge.tsx";
import layout from "../../part/layout/layout.module.css";
import { Page } from "../../part/page.tsx";
import { Panel } from "../../part/panel.tsx";
import { Answered } from "../../part/state.tsx";
import { en } from "../../text/en.ts";
import { count, dayOf, share } from "../../text/format.ts";
import style from "./billing.module.css";
import { Invoices } from "./invoices.tsx";
import { CancelSubscription, Plans, PortalButton } from "./plans.tsx";
import { Breakdown, History } from "./usage.tsx";

const texts = en.billing;
const tones: Readonly<Record<string, "plain" | "good" | "notice" | "bad">> = {
  trialing: "good",
  active: "good",
  past_due: "notice",
  blocked: "bad",
  canceled: "notice",
};

/** The plan, its use, and its payment. */
export function BillingPage() {
  const { orgId } = useOrganization();
  const query = useQuery(BillingService.method.getSummary, { orgId });
  const summary = query.data?.summary;
  const hasSubscription = summary !== undefined && ["stub", "stripe"].includes(summary.provider);
  return (
    <Page
      title={texts.title}
      note={summary && <State summary={summary} />}
      actions={
        hasSubscription && (
          <>
            <PortalButton />
            {!summary.cancelAtPeriodEnd && <CancelSubscription />}
          </>
        )
      }
    >
      <Answered query={query}>
        {() =>
          summary && (
            <>
              <Standing summary={summary} />
              <Month summary={summary} />
            </>
          )
        }
      </Answered>
      <Breakdown />
      <Plans provider={summary?.provider} />
      <History />
      <Invoices />
      {summary !== undefined && summary.notices.length > 0 && <Notices summary={summary} />}
    </Page>
  );
}

function State({ summary: { planDisplayName, status } }: { readonly summary: BillingSummary }) {
  return (
    <>
      {planDisplayName} <Badge tone={tones[status] ?? "plain"}>{texts.statuses[status] ?? status}</Badge>
    </>
  );
}

/** What is going to happen with the subscription, in sentences; absent while all goes on as it is. */
function Standing({ summary }: { readonly summary: BillingSummary }) {
  const { billingBlocked, graceEndsAt, trialEndsAt, cancelAtPeriodEnd, currentPeriodEnd } = summary;
  const { pendingPlan, pendingPlanAt } = summary;
  const on = (time: NonNullable<typeof graceEndsAt>) => dayOf(timestampDate(time));
  const sentences = [
    billingBlocked ? texts.blocked : undefined,
    graceEndsAt && texts.overdue(on(graceEndsAt)),
    trialEndsAt && texts.trial(on(trialEndsAt)),
    cancelAtPeriodEnd && currentPeriodEnd && texts.ends(on(currentPeriodEnd)),
    pendingPlan && pendingPlanAt && texts.pendingPlan(pendingPlan, on(pendingPlanAt)),
  ].filter((sentence) => typeof sentence === "string");
  if (sentences.length === 0) return null;
  return (
    <div className={billingBlocked || graceEndsAt ? style.warning : style.standing} role="status">
      {sentences.map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
    </div>
  );
}

function Month({ summary }: { readonly summary: BillingSummary }) {
  const { evaluations, limit, remaining, leasedEvaluations, overageEvaluations, playgroundEvaluations } = summary;
  return (
    <Panel title={texts.month(summary.month)}>
      <dl className={layout.figures}>
        <Figure name={texts.used} value={count(evaluations)} note={texts.usedNote(count(playgroundEvaluations))} />
        <Figure
          name={texts.limit}
          value={limit === undefined ? texts.noLimit : count(limit)}
          note={limit === undefined || limit === 0 ? undefined : texts.usedShare(share(evaluations / limit))}
        />
        {remaining !== undefined && (
          <Figure name={texts.remaining} value={count(remaining)} note={texts.leasedNote(count(leasedEvaluations))} />
        )}
        <Figure name={texts.overage} value={count(overageEvaluations)} />
        <div>
          <dt>{texts.resets}</dt>
          <dd className={layout.figure}>
            <Ago time={summary.resetsAt} />
          </dd>
          {summary.currentPeriodEnd !== undefined && (
            <dd>{texts.renewed(dayOf(timestampDate(summary.currentPeriodEnd)))}</dd>
          )}
        </div>
      </dl>
      {limit !== undefined && limit > 0 && (
        <meter
          className={style.meter}
          aria-label={texts.usedOf(count(evaluations), count(limit))}
          min={0}
          max={limit}
          high={limit * 0.8}
          value={evaluations}
        />
      )}
    </Panel>
  );
}

function Figure({
  name,
  value,
  note,
}: {
  readonly name: string;
  readonly value: string;
  readonly note?: string | undefined;
}) {
  return (
    <div>
      <dt>{name}</dt>
      <dd className={layout.figure}>{value}</dd>
      {note !== undefined && <dd>{note}</dd>}
    </div>
  );
}

function Notices({ summary: { notices } }: { readonly summary: BillingSummary }) {
  return (
    <Panel title={texts.notices}>
      <ul className={layout.stack}>
        {notices.map(({ kind, at }) => (
          <li key={`${kind} ${at?.seconds}`}>
            {texts.noticeKinds[kind] ?? kind}{" "}
            <span className={layout.dim}>
              <Ago time={at} />
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

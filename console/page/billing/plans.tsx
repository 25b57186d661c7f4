import { callUnaryMethod, useQuery } from "@connectrpc/connect-query";
import { useState } from "react";
import type { BillingPlan } from "../../../gen/policyguard/control/v1/billing_pb.ts";
import { BillingService } from "../../../gen/policyguard/control/v1/billing_service_pb.ts";
import { useOrganization } from "../../data/organization.ts";
import { perform } from "../../data/perform.ts";
import { transport } from "../../data/transport.ts";
import { Badge } from "../../part/badge.tsx";
import { useBusy } from "../../part/busy.ts";
import { Button } from "../../part/button.tsx";
import { DeedDialog } from "../../part/deed-dialog.tsx";
import layout from "../../part/layout/layout.module.css";
import { Panel } from "../../part/panel.tsx";
import { Answered, Failed } from "../../part/state.tsx";
import { en } from "../../text/en.ts";
import style from "./billing.module.css";
import { money } from "./money.ts";

const texts = en.billing;
const { method } = BillingService;

/** The plans, and the ways to another one. */
export function Plans({ provider }: { readonly provider: string | undefined }) {
  const { orgId } = useOrganization();
  const query = useQuery(method.listPlans, { orgId });
  const [chosen, setChosen] = useState<BillingPlan>();
  const isChangeable = provider === "stub" || provider === "stripe";
  const isFixed = query.data?.plans.every(({ canCheckout }) => !canCheckout) && !isChangeable;
  return (
    <Panel title={texts.plans} text={isFixed ? texts.byOperator : undefined}>
      <Answered query={query} rows={3}>
        {({ plans }) => (
          <ul className={style.plans}>
            {plans.map((plan) => (
              <Plan key={plan.id} plan={plan} isChangeable={isChangeable} onChange={() => setChosen(plan)} />
            ))}
          </ul>
        )}
      </Answered>
      {chosen !== undefined && (
        <DeedDialog
          title={texts.changeTitle(chosen.displayName)}
          text={chosen.id === "free" ? texts.freeText : texts.changeText}
          deed={texts.confirmChange}
          isGrave={chosen.id === "free"}
          onClose={() => setChosen(undefined)}
          onDo={async () => {
            await perform(method.changePlan, { orgId, plan: chosen.id });
          }}
        />
      )}
    </Panel>
  );
}

function Plan({
  plan,
  isChangeable,
  onChange,
}: {
  readonly plan: BillingPlan;
  /** Whether there is a subscription, whose plan changes without another checkout. */
  readonly isChangeable: boolean;
  readonly onChange: () => void;
}) {
  const { orgId, can } = useOrganization();
  const { run, isBusy, error } = useBusy();
  const { id, displayName, isCurrent, canCheckout, price, evaluationsPerMonth, features, traceRetentionDays } = plan;
  const buy = () =>
    run(async () => {
      const here = location.origin + location.pathname;
      const { url } = await callUnaryMethod(transport, method.createCheckout, {
        orgId,
        plan: id,
        successUrl: here,
        cancelUrl: here,
      });
      location.assign(url);
    });
  return (
    <li className={`${style.plan} ${isCurrent ? style.current : ""}`}>
      <h3>
        {displayName} {isCurrent && <Badge tone="good">{texts.current}</Badge>}
      </h3>
      <p>{priceOf(id, price)}</p>
      <ul>
        <li>{texts.perMonth(evaluationsPerMonth)}</li>
        <li>{texts.retention(traceRetentionDays)}</li>
        {features
          .filter((feature) => feature !== "unlimited_evaluations")
          .map((feature) => (
            <li key={feature}>{texts.features[feature] ?? feature}</li>
          ))}
      </ul>
      {canCheckout && can(method.createCheckout) && (
        <Button kind="primary" disabled={isBusy} onClick={buy}>
          {texts.checkout(displayName)}
        </Button>
      )}
      {!canCheckout && !isCurrent && isChangeable && can(method.changePlan) && (
        <Button onClick={onChange}>{texts.change(displayName)}</Button>
      )}
      {error !== undefined && <Failed error={error} />}
    </li>
  );
}

function priceOf(id: string, price: BillingPlan["price"]): string {
  if (price === undefined) return id === "free" ? texts.free : texts.noPrice;
  return price.amountMinor === 0 ? texts.free : texts.price(money(price.currency, price.amountMinor));
}

/** Leads to the page on which invoices are settled and the payment is managed. */
export function PortalButton() {
  const { orgId, can } = useOrganization();
  const { run, isBusy, error } = useBusy();
  if (!can(method.openPortal)) return null;
  const open = () =>
    run(async () => {
      const returnUrl = location.origin + location.pathname;
      const { url } = await callUnaryMethod(transport, method.openPortal, { orgId, returnUrl });
      location.assign(url);
    });
  return (
    <span className={layout.row}>
      {error !== undefined && <Failed error={error} />}
      <Button disabled={isBusy} onClick={open}>
        {texts.portal}
      </Button>
    </span>
  );
}

/** Ends the subscription with the period that is paid. */
export function CancelSubscription() {
  const { orgId, can } = useOrganization();
  const [isAsking, setAsking] = useState(false);
  if (!can(method.cancelSubscription)) return null;
  return (
    <>
      <Button onClick={() => setAsking(true)}>{texts.cancel}</Button>
      {isAsking && (
        <DeedDialog
          title={texts.cancelTitle}
          text={texts.cancelText}
          deed={texts.confirmCancel}
          isGrave
          onClose={() => setAsking(false)}
          onDo={async () => {
            await perform(method.cancelSubscription, { orgId });
          }}
        />
      )}
    </>
  );
}

import { timestampDate } from "@bufbuild/protobuf/wkt";
import { useQuery } from "@connectrpc/connect-query";
import { useState } from "react";
import { BillingService } from "../../../gen/policyguard/control/v1/billing_service_pb.ts";
import { useOrganization } from "../../data/organization.ts";
import { Ago } from "../../part/ago.tsx";
import { Badge } from "../../part/badge.tsx";
import layout from "../../part/layout/layout.module.css";
import { Pager } from "../../part/pager.tsx";
import { Panel } from "../../part/panel.tsx";
import { Answered } from "../../part/state.tsx";
import { Table } from "../../part/table.tsx";
import { en } from "../../text/en.ts";
import { dayOf } from "../../text/format.ts";
import { money } from "./money.ts";

const texts = en.billing;
const pageSize = 12;
const tones: Readonly<Record<string, "good" | "notice">> = { paid: "good", open: "notice" };

/** The bills, newest first. Each opens on a page of its own, to read and to print. */
export function Invoices() {
  const { orgId } = useOrganization();
  const [offset, setOffset] = useState(0);
  const query = useQuery(BillingService.method.listInvoices, { orgId, limit: pageSize, offset });
  return (
    <Panel title={texts.invoices}>
      <Answered query={query} rows={2}>
        {({ invoices, total }) => (
          <>
            {total === 0 && <p className={layout.dim}>{texts.noInvoices}</p>}
            {total > 0 && (
              <Table
                label={texts.invoices}
                rows={invoices}
                keyOf={({ id }) => id}
                columns={[
                  {
                    title: texts.number,
                    cell: ({ number, hostedUrl }) => (
                      <a href={hostedUrl} target="_blank" rel="noreferrer" aria-label={texts.openInvoice(number)}>
                        {number}
                      </a>
                    ),
                  },
                  {
                    title: texts.status,
                    phone: "below",
                    cell: ({ status }) => (
                      <Badge tone={tones[status] ?? "plain"}>{texts.invoiceStates[status] ?? status}</Badge>
                    ),
                  },
                  {
                    title: texts.period,
                    phone: "below",
                    cell: ({ periodStart, periodEnd }) =>
                      [periodStart, periodEnd].map((time) => time && dayOf(timestampDate(time))).join(" – "),
                  },
                  {
                    title: texts.amount,
                    phone: "end",
                    isNumber: true,
                    cell: ({ currency, totalMinor }) => money(currency, totalMinor),
                  },
                  {
                    title: texts.issued,
                    phone: "named",
                    isNumber: true,
                    cell: ({ issuedAt }) => <Ago time={issuedAt} />,
                  },
                ]}
              />
            )}
            <Pager offset={offset} size={pageSize} total={total} onMove={setOffset} />
          </>
        )}
      </Answered>
    </Panel>
  );
}

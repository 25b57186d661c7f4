import { useQuery } from "@connectrpc/connect-query";
import { Link, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { EvidenceService } from "../../../gen/policyguard/control/v1/evidence_service_pb.ts";
import { useOrganization } from "../../data/organization.ts";
import layout from "../../part/layout/layout.module.css";
import { Pager } from "../../part/pager.tsx";
import { Panel } from "../../part/panel.tsx";
import { Answered } from "../../part/state.tsx";
import { Table } from "../../part/table.tsx";
import { en } from "../../text/en.ts";
import { filterOf } from "./carried.ts";

const texts = en.evidence;
const pageSize = 10;

/** Controls of usual frameworks, with how many entries speak to each in the chosen time. */
export function Controls() {
  const { orgId } = useOrganization();
  const { since, until } = useSearch({ from: "/o/$org/settings/evidence" });
  const times = { ...(since === undefined ? {} : { since }), ...(until === undefined ? {} : { until }) };
  const [offset, setOffset] = useState(0);
  const query = useQuery(EvidenceService.method.listEvidenceControls, {
    ...{ orgId, limit: pageSize, offset },
    ...filterOf(times),
  });
  return (
    <Panel title={texts.controls} text={texts.controlsText}>
      <Answered query={query} rows={3}>
        {({ controls, total }) => (
          <>
            <Table
              label={texts.controls}
              rows={controls}
              keyOf={({ id }) => id}
              columns={[
                {
                  title: texts.control,
                  cell: ({ framework, control, title }) => (
                    <span className={layout.name}>
                      <span>
                        <strong>{control}</strong> {title}
                      </span>
                      <span className={layout.small}>{framework}</span>
                    </span>
                  ),
                },
                {
                  title: texts.shows,
                  isExtra: true,
                  cell: ({ shows, doesNotShow }) => (
                    <span className={layout.name}>
                      <span>{shows}</span>
                      <span className={layout.small}>{texts.doesNotShow(doesNotShow)}</span>
                    </span>
                  ),
                },
                {
                  title: texts.size,
                  isNumber: true,
                  cell: ({ id, control, entries }) => (
                    <Link
                      to="/o/$org/settings/evidence"
                      params={{ org: orgId }}
                      search={{ ...times, control: id }}
                      aria-label={texts.showEntriesOf(entries, control)}
                    >
                      {texts.showEntries(entries)}
                    </Link>
                  ),
                },
              ]}
            />
            <Pager offset={offset} size={pageSize} total={total} onMove={setOffset} />
          </>
        )}
      </Answered>
    </Panel>
  );
}

import { useQuery } from "@connectrpc/connect-query";
import { keepPreviousData } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import type { EvidenceEntry } from "../../../gen/policyguard/control/v1/evidence_pb.ts";
import { EvidenceService } from "../../../gen/policyguard/control/v1/evidence_service_pb.ts";
import { useOrganization } from "../../data/organization.ts";
import { Ago } from "../../part/ago.tsx";
import { Button } from "../../part/button.tsx";
import { Select, TextField, TypedFilter } from "../../part/field.tsx";
import layout from "../../part/layout/layout.module.css";
import { Pager } from "../../part/pager.tsx";
import { Panel } from "../../part/panel.tsx";
import { Answered } from "../../part/state.tsx";
import { Table } from "../../part/table.tsx";
import { en } from "../../text/en.ts";
import { count } from "../../text/format.ts";
import { type EvidenceSearch, filterOf } from "./search.ts";

const texts = en.evidence;
const { method } = EvidenceService;
const from = "/o/$org/settings/evidence";
const pageSize = 25;
const maxControls = 200;

/** The entries, newest first, by who, what and when. */
export function Log() {
  const { orgId } = useOrganization();
  const search = useSearch({ from });
  const navigate = useNavigate({ from });
  const key = JSON.stringify(search);
  const [page, setPage] = useState({ of: key, offset: 0 });
  // Another filter begins with its first page.
  const offset = page.of === key ? page.offset : 0;
  const setOffset = (next: number) => setPage({ of: key, offset: next });
  const query = useQuery(
    method.listEvidence,
    { orgId, limit: pageSize, offset, ...filterOf(search) },
    { placeholderData: keepPreviousData },
  );
  const isFiltered = Object.keys(search).length > 0;
  const clear = () => navigate({ search: {}, replace: true });
  return (
    <Panel title={texts.log} text={query.data && texts.total(query.data.total)}>
      <Filters search={search} onChange={(next) => navigate({ search: next, replace: true })} />
      <Answered query={query}>
        {({ evidence, total }) => (
          <>
            {total === 0 && !isFiltered && <p className={layout.dim}>{texts.noEntries}</p>}
            {total === 0 && isFiltered && (
              <p>
                {texts.noMatch}{" "}
                <Button kind="quiet" onClick={clear}>
                  {texts.clear}
                </Button>
              </p>
            )}
            {total > 0 && <Entries entries={evidence} />}
            <Pager offset={offset} size={pageSize} total={total} onMove={setOffset} />
          </>
        )}
      </Answered>
    </Panel>
  );
}

function Filters({
  search,
  onChange,
}: {
  readonly search: EvidenceSearch;
  readonly onChange: (search: EvidenceSearch) => void;
}) {
  const { orgId } = useOrganization();
  const { data } = useQuery(method.listEvidenceControls, { orgId, limit: maxControls });
  const set = (name: keyof EvidenceSearch, value: string | undefined) => {
    const { [name]: _, ...rest } = search;
    onChange(value === undefined || value === "" ? rest : { ...rest, [name]: value });
  };
  return (
    <search className={layout.filters}>
      <TypedFilter label={texts.action} value={search.action} onChange={(value) => set("action", value)} />
      <TypedFilter label={texts.actor} value={search.actor} onChange={(value) => set("actor", value)} />
      <TypedFilter label={texts.resource} value={search.resource} onChange={(value) => set("resource", value)} />
      <Select
        label={texts.control}
        value={search.control ?? ""}
        onChange={({ target }) => set("control", target.value)}
      >
        <option value="">{en.common.all}</option>
        {data?.controls.map(({ id, framework, control }) => (
          <option key={id} value={id}>
            {framework.split(" (")[0]} {control}
          </option>
        ))}
      </Select>
      <TextField
        label={texts.since}
        type="date"
        value={search.since ?? ""}
        onChange={({ target }) => set("since", target.value)}
      />
      <TextField
        label={texts.until}
        type="date"
        value={search.until ?? ""}
        onChange={({ target }) => set("until", target.value)}
      />
    </search>
  );
}

function Entries({ entries }: { readonly entries: readonly EvidenceEntry[] }) {
  const { orgId } = useOrganization();
  return (
    <Table
      label={texts.log}
      rows={entries}
      keyOf={({ seq }) => String(seq)}
      columns={[
        {
          title: texts.number,
          isNumber: true,
          cell: ({ seq }) => (
            <Link to="/o/$org/settings/evidence/$seq" params={{ org: orgId, seq: String(seq) }}>
              {count(seq)}
            </Link>
          ),
        },
        { title: texts.action, phone: "main", cell: ({ action }) => <code>{action}</code> },
        {
          title: texts.actor,
          phone: "below",
          cell: ({ actor }) => (actor === undefined ? <span className={layout.dim}>{texts.erased}</span> : actor),
        },
        { title: texts.resource, phone: "rest", cell: ({ resource }) => <code>{resource}</code> },
        { title: texts.when, phone: "end", isNumber: true, cell: ({ createdAt }) => <Ago time={createdAt} /> },
      ]}
    />
  );
}

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
import { useTyped } from "../../part/form/typed.ts";
import layout from "../../part/layout/layout.module.css";
import { Pager } from "../../part/pager.tsx";
import { Panel } from "../../part/panel.tsx";
import { Answered } from "../../part/state.tsx";
import { Table } from "../../part/table.tsx";
import { en } from "../../text/en.ts";
import { count } from "../../text/format.ts";
import { filterOf } from "./carried.ts";
import type { EvidenceSearch } from "./search.ts";

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
      <Filters
        search={search}
        onChange={(name, value) => navigate({ search: (former) => withFilter(former, name, value), replace: true })}
      />
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
  readonly onChange: (name: keyof EvidenceSearch, value: string | undefined) => void;
}) {
  const { orgId } = useOrganization();
  const { data } = useQuery(method.listEvidenceControls, { orgId, limit: maxControls });
  return (
    <search className={layout.filters}>
      <TypedFilter label={texts.action} value={search.action} onChange={(value) => onChange("action", value)} />
      <TypedFilter label={texts.actor} value={search.actor} onChange={(value) => onChange("actor", value)} />
      <TypedFilter label={texts.resource} value={search.resource} onChange={(value) => onChange("resource", value)} />
      <Select
        label={texts.control}
        value={search.control ?? ""}
        onChange={({ target }) => onChange("control", target.value)}
      >
        <option value="">{en.common.all}</option>
        {data?.controls.map(({ id, framework, control }) => (
          <option key={id} value={id}>
            {framework.split(" (")[0]} {control}
          </option>
        ))}
      </Select>
      <DayFilter label={texts.since} value={search.since} onChange={(value) => onChange("since", value)} />
      <DayFilter label={texts.until} value={search.until} onChange={(value) => onChange("until", value)} />
    </search>
  );
}

function withFilter(search: EvidenceSearch, name: keyof EvidenceSearch, value: string | undefined): EvidenceSearch {
  const { [name]: _, ...rest } = search;
  return value === undefined || value === "" ? rest : { ...rest, [name]: value };
}

/** A filter by a day. While a year is typed, each of its digits makes another day. */
function DayFilter({
  label,
  value = "",
  onChange,
}: {
  readonly label: string;
  readonly value: string | undefined;
  readonly onChange: (value: string) => void;
}) {
  const { text, setText, keep } = useTyped(value, onChange);
  return (
    <TextField
      label={label}
      type="date"
      value={text}
      onChange={({ target }) => {
        setText(target.value);
        keep(target.value);
      }}
    />
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

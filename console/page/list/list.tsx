import { useQuery } from "@connectrpc/connect-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { ListSummary } from "../../../gen/policyguard/control/v1/list_pb.ts";
import { ListService } from "../../../gen/policyguard/control/v1/list_service_pb.ts";
import { useOrganization } from "../../data/organization.ts";
import { useScopeText } from "../../data/scope.ts";
import { Ago } from "../../part/ago.tsx";
import { Button } from "../../part/button.tsx";
import layout from "../../part/layout/layout.module.css";
import { NothingYet } from "../../part/onboarding/nothing-yet.tsx";
import { Page } from "../../part/page.tsx";
import { Pager } from "../../part/pager.tsx";
import { Answered } from "../../part/state.tsx";
import { Table } from "../../part/table.tsx";
import { en } from "../../text/en.ts";
import { count } from "../../text/format.ts";
import { CreateListDialog } from "./create.tsx";

const texts = en.lists;
const { method } = ListService;
const pageSize = 50;

/** The lists that conditions of policies read by name. */
export function ListsPage() {
  const { orgId, can } = useOrganization();
  const [offset, setOffset] = useState(0);
  const [isCreating, setCreating] = useState(false);
  const query = useQuery(method.listLists, { orgId, limit: pageSize, offset });
  const create = can(method.createList) && (
    <Button hotkey="create" kind="primary" onClick={() => setCreating(true)}>
      {texts.create}
    </Button>
  );
  return (
    <Page title={texts.title} note={query.data && en.common.total(query.data.total)} actions={create}>
      <p className={layout.dim}>{texts.text}</p>
      <Answered query={query}>
        {({ lists, total }) => (
          <>
            {total === 0 && (
              <NothingYet of="lists" title={texts.empty} text={texts.emptyText}>
                {create}
              </NothingYet>
            )}
            {total > 0 && <Lists lists={lists} />}
            <Pager offset={offset} size={pageSize} total={total} onMove={setOffset} />
          </>
        )}
      </Answered>
      {isCreating && <CreateListDialog onClose={() => setCreating(false)} />}
    </Page>
  );
}

function Lists({ lists }: { readonly lists: readonly ListSummary[] }) {
  const scopeText = useScopeText();
  return (
    <Table
      label={texts.title}
      rows={lists}
      keyOf={({ id }) => id}
      columns={[
        {
          title: texts.name,
          cell: ({ id, orgId, name, description }) => (
            <span className={layout.name}>
              <Link to="/o/$org/lists/$list" params={{ org: orgId, list: id }}>
                {name}
              </Link>
              {description !== undefined && <span className={layout.small}>{description}</span>}
            </span>
          ),
        },
        { title: texts.scope, phone: "below", cell: ({ scope }) => scopeText(scope) },
        { title: texts.items, phone: "named", isNumber: true, cell: ({ itemCount }) => count(itemCount) },
        { title: texts.changed, phone: "named", isNumber: true, cell: ({ updatedAt }) => <Ago time={updatedAt} /> },
      ]}
    />
  );
}

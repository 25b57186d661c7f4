import { useQuery } from "@connectrpc/connect-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import type { Replay } from "../../../gen/policyguard/control/v1/replay_pb.ts";
import { ReplayService } from "../../../gen/policyguard/control/v1/replay_service_pb.ts";
import { useOrganization } from "../../data/organization.ts";
import { isOpen } from "../../data/run.ts";
import { Ago } from "../../part/ago.tsx";
import { Button } from "../../part/button.tsx";
import { NothingYet } from "../../part/onboarding/nothing-yet.tsx";
import { Page } from "../../part/page.tsx";
import { Pager } from "../../part/pager.tsx";
import { Answered } from "../../part/state.tsx";
import { Table } from "../../part/table.tsx";
import { en } from "../../text/en.ts";
import { CreateReplayDialog } from "./create.tsx";
import { filterText, judgeText, ReplayState } from "./say.tsx";

const texts = en.replays;
const { method } = ReplayService;
const pageSize = 50;
const workingMs = 2_000;
const from = "/o/$org/replays";

/** What was replayed, the newest first. */
export function ReplaysPage() {
  const { orgId, can } = useOrganization();
  const search = useSearch({ from });
  const navigate = useNavigate({ from });
  const [offset, setOffset] = useState(0);
  const query = useQuery(
    method.listReplays,
    { orgId, limit: pageSize, offset },
    { refetchInterval: ({ state }) => (state.data?.replays.some((each) => isOpen(each.state)) ? workingMs : false) },
  );
  const mayCreate = can(method.createReplay);
  const create = mayCreate && (
    <Button hotkey="create" kind="primary" onClick={() => navigate({ search: { new: "yes" }, replace: true })}>
      {texts.create}
    </Button>
  );
  return (
    <Page title={texts.title} note={query.data && en.common.total(query.data.total)} actions={create}>
      <Answered query={query}>
        {({ replays, total }) => (
          <>
            {total === 0 && (
              <NothingYet of="replays" title={texts.empty} text={texts.emptyText}>
                {create}
              </NothingYet>
            )}
            {total > 0 && <Replays replays={replays} />}
            <Pager offset={offset} size={pageSize} total={total} onMove={setOffset} />
          </>
        )}
      </Answered>
      {mayCreate && search.new !== undefined && (
        <CreateReplayDialog search={search} onClose={() => navigate({ search: {}, replace: true })} />
      )}
    </Page>
  );
}

function Replays({ replays }: { readonly replays: readonly Replay[] }) {
  return (
    <Table
      label={texts.title}
      rows={replays}
      keyOf={({ id }) => id}
      columns={[
        {
          title: texts.by,
          cell: (replay) => (
            <Link to="/o/$org/replays/$run" params={{ org: replay.orgId, run: replay.id }}>
              {judgeText(replay)}
            </Link>
          ),
        },
        { title: texts.filter, phone: "below", cell: ({ filter }) => filterText(filter) },
        { title: texts.state, phone: "end", cell: (replay) => <ReplayState replay={replay} /> },
        { title: texts.who, phone: "below", cell: ({ createdBy }) => createdBy },
        { title: texts.when, phone: "below", isNumber: true, cell: ({ createdAt }) => <Ago time={createdAt} /> },
      ]}
    />
  );
}

import { useQuery } from "@connectrpc/connect-query";
import { keepPreviousData } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { BundleService } from "../../../gen/policyguard/control/v1/bundle_service_pb.ts";
import { Ago } from "../../part/ago.tsx";
import { Badge } from "../../part/badge.tsx";
import layout from "../../part/layout/layout.module.css";
import { Pager } from "../../part/pager.tsx";
import { Panel } from "../../part/panel.tsx";
import { Answered } from "../../part/state.tsx";
import { Table } from "../../part/table.tsx";
import { en } from "../../text/en.ts";
import { Folded } from "./folded.tsx";
import type { Place } from "./place.ts";
import { isActive, sourceText, stateName } from "./state.ts";

const texts = en.environment;
const pageSize = 20;

/** All versions of the environment, the newest first. */
export function Versions({ place }: { readonly place: Place }) {
  const [offset, setOffset] = useState(0);
  const query = useQuery(
    BundleService.method.listBundles,
    { ...place, limit: pageSize, offset },
    { placeholderData: keepPreviousData },
  );
  return (
    <Panel title={texts.versions}>
      <Answered query={query} rows={3}>
        {({ bundles, total }) => (
          <>
            {total === 0 && <p className={layout.dim}>{texts.noVersions}</p>}
            {total > 0 && (
              <Table
                label={texts.versions}
                rows={bundles}
                keyOf={({ id }) => id}
                columns={[
                  {
                    title: texts.version,
                    cell: ({ version }) => (
                      <Link
                        to="/o/$org/environments/$project/$env/$version"
                        params={{
                          ...{ org: place.orgId, project: place.projectId, env: place.envName },
                          version: String(version),
                        }}
                      >
                        {en.common.version(version)}
                      </Link>
                    ),
                  },
                  {
                    title: texts.state,
                    phone: "end",
                    cell: (bundle) => (
                      <Badge tone={isActive(bundle) ? "good" : "plain"}>
                        {en.environments.states[stateName(bundle)]}
                      </Badge>
                    ),
                  },
                  {
                    ...{ title: texts.message, isFree: true, phone: "below" },
                    cell: (bundle) => <Folded text={bundle.message ?? sourceText(bundle)} />,
                  },
                  { title: texts.by, phone: "below", cell: ({ createdBy }) => createdBy },
                  {
                    title: texts.when,
                    phone: "below",
                    isNumber: true,
                    cell: ({ createdAt }) => <Ago time={createdAt} />,
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

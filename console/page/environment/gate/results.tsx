import { useQuery } from "@connectrpc/connect-query";
import { keepPreviousData } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { BundleService } from "../../../../gen/policyguard/control/v1/bundle_service_pb.ts";
import { GateKind, type GateResult, GateState } from "../../../../gen/policyguard/control/v1/gate_pb.ts";
import { GateService } from "../../../../gen/policyguard/control/v1/gate_service_pb.ts";
import { Ago } from "../../../part/ago.tsx";
import layout from "../../../part/layout/layout.module.css";
import { Pager } from "../../../part/pager.tsx";
import { Panel } from "../../../part/panel.tsx";
import { Answered } from "../../../part/state.tsx";
import { Table } from "../../../part/table.tsx";
import { en } from "../../../text/en.ts";
import type { Place } from "../place.ts";
import { gateKinds } from "./names.ts";
import { GateStateBadge } from "./standing.tsx";

const texts = en.gates;
const pageSize = 10;
const shownBundles = 200;
const shownOfDigest = 8;
/** A run ends soon. */
const pendingMs = 3_000;

/** What was found out for the gates of an environment; absent where no gate asks. */
export function GateResults({ place }: { readonly place: Place }) {
  const [offset, setOffset] = useState(0);
  const gates = useQuery(GateService.method.getGates, place);
  const query = useQuery(
    GateService.method.listGateResults,
    { ...place, limit: pageSize, offset },
    {
      placeholderData: keepPreviousData,
      refetchInterval: ({ state }) => (state.data?.results.some(isPending) ? pendingMs : false),
    },
  );
  const asks = gates.data?.gateSet?.gates.some(({ kind }) => kind !== GateKind.CANDIDATE) === true;
  if (!asks && (query.data?.total ?? 0) === 0) return null;
  return (
    <Panel title={texts.results} text={texts.resultsText}>
      <Answered query={query} rows={2}>
        {({ results, total }) => (
          <>
            {total === 0 && <p className={layout.dim}>{texts.noResults}</p>}
            {total > 0 && <Results place={place} results={results} />}
            <Pager offset={offset} size={pageSize} total={total} onMove={setOffset} />
          </>
        )}
      </Answered>
    </Panel>
  );
}

function isPending({ state }: GateResult): boolean {
  return state === GateState.PENDING;
}

function Results({ place, results }: { readonly place: Place; readonly results: readonly GateResult[] }) {
  const bundles = useQuery(BundleService.method.listBundles, { ...place, limit: shownBundles });
  const { orgId } = place;
  return (
    <Table
      label={texts.results}
      rows={results}
      keyOf={({ gate, revision, contentDigest, basis }) => `${gate} ${revision} ${contentDigest} ${basis}`}
      columns={[
        {
          title: texts.gate,
          cell: ({ gate, kind }) => (
            <span className={layout.name}>
              <strong>{gate}</strong>
              <span className={layout.small}>{texts.kinds[gateKinds.nameOf(kind)]}</span>
            </span>
          ),
        },
        {
          title: texts.content,
          phone: "below",
          cell: ({ contentDigest, basis }) => (
            <span className={layout.name}>
              <Content
                place={place}
                digest={contentDigest}
                version={bundles.data?.bundles.find((each) => each.contentDigest === contentDigest)?.version}
              />
              {basis !== "" && <span className={layout.small}>{basis}</span>}
            </span>
          ),
        },
        { title: texts.state, phone: "end", cell: (result) => <GateStateBadge gate={result} /> },
        {
          title: texts.why,
          phone: "below",
          cell: ({ reason, runId, kind }) => (
            <>
              {reason}{" "}
              {runId !== undefined && kind === GateKind.BENCHMARK && (
                <Link to="/o/$org/benchmarks/$run" params={{ org: orgId, run: runId }}>
                  {texts.openBenchmark}
                </Link>
              )}
            </>
          ),
        },
        {
          title: texts.when,
          isNumber: true,
          phone: "below",
          cell: ({ decidedAt, createdAt }) => <Ago time={decidedAt ?? createdAt} />,
        },
      ]}
    />
  );
}

/** The newest version that has the content, or the beginning of its digest. */
function Content({
  place: { orgId, projectId, envName },
  digest,
  version,
}: {
  readonly place: Place;
  readonly digest: string;
  readonly version: number | undefined;
}) {
  if (version === undefined)
    return <code title={digest}>{digest.replace("sha256:", "").slice(0, shownOfDigest)}…</code>;
  return (
    <Link
      to="/o/$org/environments/$project/$env/$version"
      params={{ org: orgId, project: projectId, env: envName, version: String(version) }}
    >
      {en.common.version(version)}
    </Link>
  );
}

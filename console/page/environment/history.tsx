import { useQuery } from "@connectrpc/connect-query";
import { keepPreviousData } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { Activation } from "../../../gen/policyguard/control/v1/bundle_pb.ts";
import { BundleService } from "../../../gen/policyguard/control/v1/bundle_service_pb.ts";
import { useOrganization } from "../../data/organization.ts";
import { Ago } from "../../part/ago.tsx";
import { Badge } from "../../part/badge.tsx";
import layout from "../../part/layout/layout.module.css";
import { LinkButton } from "../../part/link-button.tsx";
import { Pager } from "../../part/pager.tsx";
import { Panel } from "../../part/panel.tsx";
import { Answered } from "../../part/state.tsx";
import { Table } from "../../part/table.tsx";
import { en } from "../../text/en.ts";
import style from "./environment.module.css";
import { Folded } from "./folded.tsx";
import type { Place } from "./place.ts";
import { activationText } from "./state.ts";

const texts = en.environment;
const pageSize = 20;

/** What was in force in the environment, who put it there and why, and the way back to it. */
export function History({
  place,
  activeVersion = 0,
}: {
  readonly place: Place;
  readonly activeVersion: number | undefined;
}) {
  const [offset, setOffset] = useState(0);
  const query = useQuery(
    BundleService.method.listActivations,
    { ...place, limit: pageSize, offset },
    { placeholderData: keepPreviousData },
  );
  return (
    <Panel title={texts.history} text={texts.historyText}>
      <Answered query={query} rows={3}>
        {({ activations, total }) => (
          <>
            {total === 0 && <p className={layout.dim}>{texts.noHistory}</p>}
            {total > 0 && (
              <Table
                label={texts.history}
                rows={activations}
                keyOf={({ activationSeq }) => String(activationSeq)}
                columns={[
                  {
                    title: texts.activation,
                    cell: (activation) => <Enforced place={place} activation={activation} />,
                  },
                  {
                    title: texts.deed,
                    cell: (activation) => <What {...{ place, activation, activeVersion }} />,
                  },
                  {
                    title: texts.message,
                    isFree: true,
                    isExtra: true,
                    cell: ({ message }) => (message === undefined ? en.common.none : <Folded text={message} />),
                  },
                  { title: texts.by, isExtra: true, cell: ({ createdBy }) => createdBy },
                  {
                    ...{ title: texts.when, isExtra: true, isNumber: true },
                    cell: ({ activatedAt }) => <Ago time={activatedAt} />,
                  },
                  {
                    ...{ title: "", isExtra: true, isNumber: true },
                    cell: (activation) => <Ways {...{ place, activation, activeVersion }} />,
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

interface Entry {
  readonly place: Place;
  readonly activation: Activation;
}

function Enforced({ place, activation: { activationSeq, version, isInForce } }: Entry) {
  return (
    <span className={style.enforced}>
      #{activationSeq}{" "}
      <Link
        className={style.version}
        to="/o/$org/environments/$project/$env/$version"
        params={{ org: place.orgId, project: place.projectId, env: place.envName, version: String(version) }}
      >
        {en.common.version(version)}
      </Link>{" "}
      {isInForce && <Badge tone="good">{texts.inForce}</Badge>}
    </span>
  );
}

/** What happened; on phones, where the other columns have no room, all the rest as well. */
function What({ place, activation, activeVersion }: Way) {
  const { createdBy, activatedAt, message } = activation;
  return (
    <>
      {activationText(activation)}
      <div className={style.onPhones}>
        {createdBy} · <Ago time={activatedAt} />
        {message !== undefined && (
          <>
            {" · "}
            <Folded text={message} />
          </>
        )}
        <Ways {...{ place, activation, activeVersion }} />
      </div>
    </>
  );
}

interface Way extends Entry {
  readonly activeVersion: number;
}

/** To what it changed, and back to it. */
function Ways({ place: { orgId, projectId, envName }, activation: { version, previousVersion }, activeVersion }: Way) {
  const { can } = useOrganization();
  return (
    <span className={style.ways}>
      {previousVersion !== undefined && previousVersion !== version && (
        <LinkButton
          kind="quiet"
          to="/o/$org/environments/$project/compare"
          params={{ org: orgId, project: projectId }}
          search={{ env: envName, version, base: envName, baseVersion: previousVersion }}
        >
          {texts.compareWith(previousVersion)}
        </LinkButton>
      )}
      {version !== activeVersion && can(BundleService.method.activateBundle) && (
        <LinkButton
          kind="quiet"
          to="/o/$org/environments/$project/$env/$version"
          params={{ org: orgId, project: projectId, env: envName, version: String(version) }}
        >
          {version < activeVersion ? en.environments.rollBack(version) : en.environments.activateShort(version)}
        </LinkButton>
      )}
    </span>
  );
}

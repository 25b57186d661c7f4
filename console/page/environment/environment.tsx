import { useQuery } from "@connectrpc/connect-query";
import { Link, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { BundleService } from "../../../gen/policyguard/control/v1/bundle_service_pb.ts";
import type { Environment } from "../../../gen/policyguard/control/v1/environment_pb.ts";
import { EnvironmentService } from "../../../gen/policyguard/control/v1/environment_service_pb.ts";
import { useOrganization } from "../../data/organization.ts";
import { Badge } from "../../part/badge.tsx";
import { Button } from "../../part/button.tsx";
import { Page } from "../../part/page.tsx";
import { Answered, Empty } from "../../part/state.tsx";
import { en } from "../../text/en.ts";
import { GateList } from "./gate/list.tsx";
import { GateResults } from "./gate/results.tsx";
import { History } from "./history.tsx";
import { DeleteEnvironment, Order } from "./order.tsx";
import { type Making, PublishDialog } from "./publish.tsx";
import { Rules } from "./rules.tsx";
import { Versions } from "./versions.tsx";

const texts = en.environment;

/** One environment: its gates and what was found out for them, its rules, what was in force, its versions, its place. */
export function EnvironmentPage() {
  const { orgId } = useOrganization();
  const { project: projectId, env: envName } = useParams({ from: "/o/$org/environments/$project/$env/settings" });
  const query = useQuery(EnvironmentService.method.listEnvironments, { orgId, projectId });
  const environment = query.data?.environments.find(({ name }) => name === envName);
  const place = { orgId, projectId, envName };
  return (
    <Page
      title={envName}
      note={
        <>
          <Link to="/o/$org/environments" params={{ org: orgId }} search={{ project: projectId }}>
            {en.environments.title}
          </Link>{" "}
          {environment && <Marks environment={environment} />}
        </>
      }
      actions={environment && <Deeds environment={environment} />}
    >
      <Answered query={query}>
        {({ environments }) =>
          environment === undefined ? (
            <Empty title={texts.gone} />
          ) : (
            <>
              <GateList place={place} />
              <GateResults place={place} />
              <Rules environment={environment} />
              <History place={place} activeVersion={environment.activeVersion} />
              <Versions place={place} />
              <Order all={environments} environment={environment} />
              <DeleteEnvironment environment={environment} />
            </>
          )
        }
      </Answered>
    </Page>
  );
}

function Marks({ environment }: { readonly environment: Environment }) {
  const { activeVersion, isProtected, isFrozen, requiredApprovals } = environment;
  return (
    <>
      {activeVersion !== undefined && (
        <Badge tone="good">
          {en.common.version(activeVersion)} {en.environments.active}
        </Badge>
      )}{" "}
      {isProtected && <Badge>{en.environments.isProtected}</Badge>}{" "}
      {isFrozen && <Badge tone="notice">{en.environments.isFrozen}</Badge>}{" "}
      {requiredApprovals > 0 && <Badge>{en.environments.approvals(requiredApprovals)}</Badge>}
    </>
  );
}

function Deeds({ environment }: { readonly environment: Environment }) {
  const { can } = useOrganization();
  const [making, setMaking] = useState<Making>();
  return (
    <>
      {can(BundleService.method.republishBundle) && environment.activeVersion !== undefined && (
        <Button onClick={() => setMaking("republish")}>{texts.republish}</Button>
      )}
      {can(BundleService.method.publishBundle) && (
        <Button kind="primary" onClick={() => setMaking("publish")}>
          {en.environments.publish}
        </Button>
      )}
      {making !== undefined && (
        <PublishDialog key={making} making={making} environment={environment} onClose={() => setMaking(undefined)} />
      )}
    </>
  );
}

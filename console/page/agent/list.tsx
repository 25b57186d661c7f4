import { useQuery } from "@connectrpc/connect-query";
import { keepPreviousData } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import type { Agent } from "../../../gen/policyguard/control/v1/agent_pb.ts";
import { AgentService } from "../../../gen/policyguard/control/v1/agent_service_pb.ts";
import { ProjectService } from "../../../gen/policyguard/control/v1/project_service_pb.ts";
import { useProjects } from "../../data/choice/project.ts";
import { useOrganization } from "../../data/organization.ts";
import { perform } from "../../data/perform.ts";
import { Ago } from "../../part/ago.tsx";
import { Button } from "../../part/button.tsx";
import { DeedDialog } from "../../part/deed-dialog.tsx";
import { TextField, TypedFilter } from "../../part/field.tsx";
import layout from "../../part/layout/layout.module.css";
import { LinkButton } from "../../part/link-button.tsx";
import { Menu } from "../../part/menu.tsx";
import { NoProject } from "../../part/onboarding/no-project.tsx";
import { NothingYet } from "../../part/onboarding/nothing-yet.tsx";
import { Page } from "../../part/page.tsx";
import { Pager } from "../../part/pager.tsx";
import { ProjectSelect } from "../../part/project-select.tsx";
import { Answered, Empty, Failed, Loading } from "../../part/state.tsx";
import { Table } from "../../part/table.tsx";
import { en } from "../../text/en.ts";

const texts = en.agents;
const { method } = AgentService;
const pageSize = 50;

/** The agents of a project: who asked for evaluations under a name of its own, and when it last did. */
export function AgentsPage() {
  const { orgId, can } = useOrganization();
  const search = useSearch({ from: "/o/$org/agents" });
  const navigate = useNavigate({ from: "/o/$org/agents" });
  const { projects, further, project, isLoaded, error, refetch } = useProjects(search.project);
  return (
    <Page
      title={texts.title}
      actions={
        <>
          {projects.length > 1 && (
            <ProjectSelect
              projects={projects}
              further={further}
              value={project?.id}
              onChange={(id) => navigate({ search: id === undefined ? {} : { project: id }, replace: true })}
            />
          )}
          {project !== undefined && (
            <LinkButton kind="plain" to="/o/$org/fleet" params={{ org: orgId }} search={{ project: project.id }}>
              {texts.fleet}
            </LinkButton>
          )}
        </>
      }
    >
      <p className={layout.dim}>{texts.text}</p>
      {error !== undefined && <Failed error={error} onRetry={refetch} />}
      {!isLoaded && error === undefined && <Loading />}
      {isLoaded && project === undefined && (
        <NoProject makeFor={can(ProjectService.method.createProject) ? orgId : undefined} />
      )}
      {project !== undefined && <ProjectAgents key={project.id} projectId={project.id} />}
    </Page>
  );
}

function ProjectAgents({ projectId }: { readonly projectId: string }) {
  const { orgId } = useOrganization();
  const { q } = useSearch({ from: "/o/$org/agents" });
  const navigate = useNavigate({ from: "/o/$org/agents" });
  const [offset, setOffset] = useState(0);
  const query = useQuery(
    method.listAgents,
    { orgId, projectId, limit: pageSize, offset, ...(q === undefined ? {} : { query: q }) },
    { placeholderData: keepPreviousData },
  );
  const filter = (text = "") => {
    setOffset(0);
    navigate({ search: (former) => ({ ...former, q: text }), replace: true });
  };
  return (
    <Answered query={query}>
      {({ agents, total }) => (
        <>
          {(total > 0 || q !== undefined) && (
            <search className={layout.filters}>
              <TypedFilter label={texts.filter} value={q} onChange={filter} />
            </search>
          )}
          {total === 0 && q === undefined && <NothingYet of="agents" title={texts.empty} text={texts.emptyText} />}
          {total === 0 && q !== undefined && (
            <Empty title={texts.noMatch}>
              <Button onClick={() => filter(undefined)}>{en.traces.clear}</Button>
            </Empty>
          )}
          {total > 0 && <Agents agents={agents} />}
          <Pager offset={offset} size={pageSize} total={total} onMove={setOffset} />
        </>
      )}
    </Answered>
  );
}

function Agents({ agents }: { readonly agents: readonly Agent[] }) {
  const { can } = useOrganization();
  const [open, setOpen] = useState<{ readonly agent: Agent; readonly deed: "rename" | "delete" }>();
  const close = () => setOpen(undefined);
  const deedsOf = (agent: Agent) => [
    ...(can(method.renameAgent) ? [{ title: texts.rename, onChoose: () => setOpen({ agent, deed: "rename" }) }] : []),
    ...(can(method.deleteAgent) ? [{ title: texts.delete, onChoose: () => setOpen({ agent, deed: "delete" }) }] : []),
  ];
  return (
    <>
      <Table
        label={texts.title}
        rows={agents}
        keyOf={({ id }) => id}
        columns={[
          {
            title: texts.name,
            cell: ({ name, key }) => (
              <span className={layout.name}>
                <strong>{name}</strong>
                {name !== key && <code className={layout.small}>{key}</code>}
              </span>
            ),
          },
          { title: texts.first, phone: "named", isNumber: true, cell: ({ firstSeenAt }) => <Ago time={firstSeenAt} /> },
          { title: texts.last, phone: "named", isNumber: true, cell: ({ lastSeenAt }) => <Ago time={lastSeenAt} /> },
          {
            title: "",
            phone: "end",
            isNumber: true,
            cell: (agent) => (
              <span className={`${layout.row} ${layout.end}`}>
                <Seen agent={agent} />
                <Menu label={texts.deedsOf(agent.name)} items={deedsOf(agent)} />
              </span>
            ),
          },
        ]}
      />
      {open?.deed === "rename" && <RenameDialog agent={open.agent} onClose={close} />}
      {open?.deed === "delete" && <DeleteDialog agent={open.agent} onClose={close} />}
    </>
  );
}

/** What the agent did. */
function Seen({ agent: { orgId, projectId, key, name } }: { readonly agent: Agent }) {
  return (
    <>
      <Link
        to="/o/$org/traces"
        params={{ org: orgId }}
        search={{ project: projectId, agent: key, range: "30d" }}
        aria-label={texts.tracesOf(name)}
      >
        {texts.traces}
      </Link>
      <Link
        to="/o/$org/analytics"
        params={{ org: orgId }}
        search={{ project: projectId, agent: key }}
        aria-label={texts.analyticsOf(name)}
      >
        {texts.analytics}
      </Link>
    </>
  );
}

function RenameDialog({ agent, onClose }: { readonly agent: Agent; readonly onClose: () => void }) {
  const { orgId, projectId, id: agentId, name, key } = agent;
  return (
    <DeedDialog
      title={texts.renameTitle(key)}
      text={texts.renameText}
      deed={texts.confirmRename}
      onClose={onClose}
      onDo={async (text) => {
        await perform(method.renameAgent, { orgId, projectId, agentId, name: text("name").trim() });
      }}
    >
      {(faultOf) => (
        <TextField
          label={texts.name}
          name="name"
          autoComplete="off"
          maxLength={200}
          defaultValue={name}
          fault={faultOf("name")}
          required
        />
      )}
    </DeedDialog>
  );
}

function DeleteDialog({ agent, onClose }: { readonly agent: Agent; readonly onClose: () => void }) {
  const { orgId, projectId, id: agentId, name } = agent;
  return (
    <DeedDialog
      title={texts.deleteTitle(name)}
      text={texts.deleteText}
      deed={texts.confirmDelete}
      isGrave
      onClose={onClose}
      onDo={async () => {
        await perform(method.deleteAgent, { orgId, projectId, agentId });
      }}
    />
  );
}

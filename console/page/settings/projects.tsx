import { useQuery } from "@connectrpc/connect-query";
import { keepPreviousData } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import type { Project } from "../../../gen/policyguard/control/v1/project_pb.ts";
import { ProjectService } from "../../../gen/policyguard/control/v1/project_service_pb.ts";
import { useOrganization } from "../../data/organization.ts";
import { perform } from "../../data/perform.ts";
import { Ago } from "../../part/ago.tsx";
import { Button } from "../../part/button.tsx";
import { DeedDialog } from "../../part/deed-dialog.tsx";
import { type FaultOf, TextArea, TextField, TypedFilter } from "../../part/field.tsx";
import layout from "../../part/layout/layout.module.css";
import { Pager } from "../../part/pager.tsx";
import { Panel } from "../../part/panel.tsx";
import { Answered } from "../../part/state.tsx";
import { Table } from "../../part/table.tsx";
import { en } from "../../text/en.ts";

const texts = en.settings;
const { method } = ProjectService;
const pageSize = 50;
const from = "/o/$org/settings";

type Chosen = { readonly deed: "edit" | "delete"; readonly project: Project } | { readonly deed: "create" };

/** The projects: made, renamed and deleted. */
export function Projects() {
  const { orgId, can } = useOrganization();
  const [offset, setOffset] = useState(0);
  const { q } = useSearch({ from });
  const navigate = useNavigate({ from });
  const query = useQuery(
    method.listProjects,
    { orgId, limit: pageSize, offset, ...(q === undefined ? {} : { query: q }) },
    { placeholderData: keepPreviousData },
  );
  const filter = (text = "") => {
    setOffset(0);
    navigate({ search: { q: text }, replace: true });
  };
  const [chosen, setChosen] = useState<Chosen>();
  const close = () => setChosen(undefined);
  return (
    <Panel
      title={texts.projects}
      text={texts.projectsText}
      actions={
        can(method.createProject) && <Button onClick={() => setChosen({ deed: "create" })}>{texts.create}</Button>
      }
    >
      <Answered query={query} rows={3}>
        {({ projects, total }) => (
          <>
            {(total > 1 || q !== undefined) && (
              <search className={layout.filters}>
                <TypedFilter label={texts.filterProjects} value={q} onChange={filter} />
              </search>
            )}
            {total === 0 && <p className={layout.dim}>{q === undefined ? texts.noProjects : texts.noProject}</p>}
            {total > 0 && <List projects={projects} onChoose={setChosen} />}
            <Pager offset={offset} size={pageSize} total={total} onMove={setOffset} />
          </>
        )}
      </Answered>
      {chosen?.deed === "create" && <CreateDialog onClose={close} />}
      {chosen?.deed === "edit" && <EditDialog project={chosen.project} onClose={close} />}
      {chosen?.deed === "delete" && <DeleteDialog project={chosen.project} onClose={close} />}
    </Panel>
  );
}

function List({
  projects,
  onChoose,
}: {
  readonly projects: readonly Project[];
  readonly onChoose: (chosen: Chosen) => void;
}) {
  const { can } = useOrganization();
  return (
    <Table
      label={texts.projects}
      rows={projects}
      keyOf={({ id }) => id}
      columns={[
        {
          title: texts.project,
          cell: ({ id, orgId, name, description }) => (
            <span className={layout.name}>
              <Link to="/o/$org/environments" params={{ org: orgId }} search={{ project: id }}>
                {name}
              </Link>
              {description !== undefined && <span className={layout.small}>{description}</span>}
            </span>
          ),
        },
        { title: texts.changed, phone: "named", isNumber: true, cell: ({ updatedAt }) => <Ago time={updatedAt} /> },
        {
          title: "",
          phone: "deeds",
          isNumber: true,
          cell: (project) => (
            <span className={`${layout.row} ${layout.end}`}>
              {can(method.updateProject) && (
                <Button
                  kind="quiet"
                  aria-label={texts.editOf(project.name)}
                  onClick={() => onChoose({ deed: "edit", project })}
                >
                  {texts.edit}
                </Button>
              )}
              {can(method.deleteProject) && (
                <Button
                  kind="quiet"
                  aria-label={texts.deleteOf(project.name)}
                  onClick={() => onChoose({ deed: "delete", project })}
                >
                  {texts.delete}
                </Button>
              )}
            </span>
          ),
        },
      ]}
    />
  );
}

function Fields({ project, faultOf }: { readonly project?: Project; readonly faultOf: FaultOf }) {
  return (
    <>
      <TextField
        label={texts.name}
        name="name"
        autoComplete="off"
        defaultValue={project?.name}
        fault={faultOf("name")}
        required
      />
      <TextArea
        label={texts.description}
        name="description"
        defaultValue={project?.description}
        fault={faultOf("description")}
      />
    </>
  );
}

function CreateDialog({ onClose }: { readonly onClose: () => void }) {
  const { orgId } = useOrganization();
  return (
    <DeedDialog
      title={texts.createTitle}
      text={texts.createText}
      deed={texts.confirmCreate}
      onClose={onClose}
      onDo={async (text) => {
        await perform(method.createProject, { orgId, name: text("name"), description: text("description") });
      }}
    >
      {(faultOf) => <Fields faultOf={faultOf} />}
    </DeedDialog>
  );
}

function EditDialog({ project, onClose }: { readonly project: Project; readonly onClose: () => void }) {
  return (
    <DeedDialog
      title={texts.editTitle(project.name)}
      deed={en.common.save}
      onClose={onClose}
      onDo={async (text) => {
        const change = { name: text("name"), description: text("description") };
        await perform(method.updateProject, { orgId: project.orgId, projectId: project.id, ...change });
      }}
    >
      {(faultOf) => <Fields project={project} faultOf={faultOf} />}
    </DeedDialog>
  );
}

function DeleteDialog({ project, onClose }: { readonly project: Project; readonly onClose: () => void }) {
  const { orgId, id: projectId, name } = project;
  return (
    <DeedDialog
      title={texts.deleteTitle(name)}
      text={texts.deleteText}
      deed={texts.confirmDelete}
      typed={name}
      isGrave
      onClose={onClose}
      onDo={async (text) => {
        await perform(method.deleteProject, { orgId, projectId, force: text("force") === "on" });
      }}
    >
      <label className={layout.check}>
        <input type="checkbox" name="force" />
        {texts.deleteForce}
      </label>
    </DeedDialog>
  );
}

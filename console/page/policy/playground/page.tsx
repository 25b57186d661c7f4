import { useQuery } from "@connectrpc/connect-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { EnvironmentService } from "../../../../gen/policyguard/control/v1/environment_service_pb.ts";
import { PolicyService } from "../../../../gen/policyguard/control/v1/policy_service_pb.ts";
import { useOrganization } from "../../../data/organization.ts";
import { useProjects } from "../../../data/project.ts";
import { Button } from "../../../part/button.tsx";
import { Select } from "../../../part/field.tsx";
import layout from "../../../part/layout/layout.module.css";
import { Page } from "../../../part/page.tsx";
import { ProjectSelect } from "../../../part/project-select.tsx";
import { Answered, Empty, Failed, Loading } from "../../../part/state.tsx";
import { en } from "../../../text/en.ts";
import style from "../policy.module.css";
import { Composer } from "./composer.tsx";
import { type Asked, askedOf, isBlank } from "./request.ts";
import { useJudge } from "./use-judge.ts";
import { Verdict } from "./verdict.tsx";

const texts = en.playground;
const from = "/o/$org/playground";
const maxTexts = 4;

/** Judges texts side by side by what an environment enforces. */
export function PlaygroundPage() {
  const { orgId, can } = useOrganization();
  const search = useSearch({ from });
  const navigate = useNavigate({ from });
  const { projects, project, isLoaded, error, refetch } = useProjects(search.project);
  const query = useQuery(
    EnvironmentService.method.listEnvironments,
    { orgId, projectId: project?.id ?? "" },
    { enabled: project !== undefined },
  );
  if (!can(PolicyService.method.explainPolicies))
    return (
      <Page title={texts.title}>
        <Empty title={en.failure.refused} />
      </Page>
    );
  return (
    <Page title={texts.title}>
      <p className={layout.dim}>{texts.pageText}</p>
      {error !== undefined && <Failed error={error} onRetry={refetch} />}
      {!isLoaded && error === undefined && <Loading />}
      {isLoaded && project === undefined && <Empty title={en.environments.noProjects} />}
      {project !== undefined && (
        <Answered query={query}>
          {({ environments }) => {
            const chosen =
              environments.find(({ name }) => name === search.environment) ??
              environments.find(({ activeVersion }) => activeVersion !== undefined) ??
              environments[0];
            return (
              <>
                <search className={layout.filters}>
                  <ProjectSelect
                    projects={projects}
                    value={project.id}
                    onChange={(next) =>
                      navigate({ search: next === undefined ? {} : { project: next }, replace: true })
                    }
                  />
                  <Select
                    label={texts.environment}
                    value={chosen?.name ?? ""}
                    onChange={({ target }) =>
                      navigate({ search: { project: project.id, environment: target.value }, replace: true })
                    }
                  >
                    {environments.map(({ id, name }) => (
                      <option key={id} value={name}>
                        {name}
                      </option>
                    ))}
                  </Select>
                </search>
                {chosen?.activeVersion === undefined ? (
                  <Empty title={texts.nothingActive} text={texts.nothingActiveText} />
                ) : (
                  <Texts key={chosen.id} projectId={project.id} environment={chosen.name} />
                )}
              </>
            );
          }}
        </Answered>
      )}
    </Page>
  );
}

interface Column {
  readonly key: number;
  readonly asked: Asked;
}

function Texts({ projectId, environment }: { readonly projectId: string; readonly environment: string }) {
  const [columns, setColumns] = useState<readonly Column[]>([
    { key: 1, asked: askedOf("") },
    { key: 2, asked: askedOf("") },
  ]);
  const nextKey = Math.max(...columns.map(({ key }) => key)) + 1;
  return (
    <>
      <div className={layout.columns}>
        {columns.map((column, index) => (
          <OneText
            key={column.key}
            number={index + 1}
            place={{ projectId, environment }}
            asked={column.asked}
            onAsk={(asked) => setColumns(columns.map((each) => (each === column ? { ...column, asked } : each)))}
            onRemove={columns.length === 1 ? undefined : () => setColumns(columns.filter((each) => each !== column))}
          />
        ))}
      </div>
      {columns.length < maxTexts && (
        <div>
          <Button onClick={() => setColumns([...columns, { key: nextKey, asked: askedOf("") }])}>
            {texts.addText}
          </Button>
        </div>
      )}
    </>
  );
}

function OneText({
  number,
  place,
  asked,
  onAsk,
  onRemove,
}: {
  readonly number: number;
  readonly place: { readonly projectId: string; readonly environment: string };
  readonly asked: Asked;
  readonly onAsk: (asked: Asked) => void;
  readonly onRemove: (() => void) | undefined;
}) {
  const { judge, judged, fault, isBusy, error } = useJudge(place);
  return (
    <section className={style.playground} aria-label={texts.textOf(number)}>
      <h2>{texts.textOf(number)}</h2>
      <Composer asked={asked} fault={fault} onChange={onAsk} onJudge={() => judge(asked)} />
      <div className={layout.row}>
        <Button kind="primary" onClick={() => judge(asked)} disabled={isBusy || isBlank(asked)} title="Ctrl Enter">
          {isBusy ? texts.judging : texts.judge}
        </Button>
        {onRemove !== undefined && (
          <Button kind="quiet" onClick={onRemove}>
            {texts.removeText(number)}
          </Button>
        )}
      </div>
      {error !== undefined && <Failed error={error} />}
      {judged !== undefined && <Verdict judged={judged} />}
    </section>
  );
}

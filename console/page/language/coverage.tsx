import { useQuery } from "@connectrpc/connect-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { EnvironmentService } from "../../../gen/policyguard/control/v1/environment_service_pb.ts";
import type { LanguageCoverageCell } from "../../../gen/policyguard/control/v1/language_pb.ts";
import {
  type GetLanguageCoverageResponse,
  LanguageService,
} from "../../../gen/policyguard/control/v1/language_service_pb.ts";
import { useProjects } from "../../data/choice/project.ts";
import { useOrganization } from "../../data/organization.ts";
import { Badge } from "../../part/badge.tsx";
import { Select } from "../../part/field.tsx";
import layout from "../../part/layout/layout.module.css";
import { Panel } from "../../part/panel.tsx";
import { ProjectSelect } from "../../part/project-select.tsx";
import { Answered } from "../../part/state.tsx";
import { Table } from "../../part/table.tsx";
import { en } from "../../text/en.ts";
import { share } from "../../text/format.ts";
import { categoryTitle, coverageNames } from "./names.ts";

const texts = en.languages;
const tones = { none: "plain", partial: "notice", covered: "good" } as const;

/** What an environment's active bundle covers. */
export function Coverage() {
  const { orgId } = useOrganization();
  const search = useSearch({ from: "/o/$org/languages" });
  const navigate = useNavigate({ from: "/o/$org/languages" });
  const { projects, further, project } = useProjects(search.project);
  const projectId = project?.id ?? "";
  const environments = useQuery(
    EnvironmentService.method.listEnvironments,
    { orgId, projectId },
    { enabled: project !== undefined },
  );
  const all = environments.data?.environments ?? [];
  const environment =
    all.find(({ name }) => name === search.environment) ?? all.find((each) => each.activeVersion) ?? all[0];
  const isActive = environment?.activeVersion !== undefined;
  const query = useQuery(
    LanguageService.method.getLanguageCoverage,
    { orgId, projectId, envName: environment?.name ?? "" },
    { enabled: isActive },
  );
  const choose = (part: { readonly project?: string; readonly environment?: string }) =>
    navigate({ search: (former) => ({ ...former, ...part }), replace: true });
  if (project === undefined || environment === undefined) return null;
  return (
    <Panel title={texts.coverage} text={texts.coverageText}>
      <search className={layout.filters}>
        {projects.length > 1 && (
          <ProjectSelect
            projects={projects}
            further={further}
            value={projectId}
            onChange={(id) => id !== undefined && choose({ project: id })}
          />
        )}
        <Select
          label={texts.environment}
          value={environment.name}
          onChange={({ target }) => choose({ environment: target.value })}
        >
          {all.map(({ name }) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </Select>
      </search>
      {!isActive && <p className={layout.dim}>{texts.nothingActive}</p>}
      {isActive && <Answered query={query}>{(data) => <Matrix answer={data} />}</Answered>}
    </Panel>
  );
}

/** One row a language, one column a category that enforced rules use. */
function Matrix({
  answer: { categories, coverage, version, environment },
}: {
  readonly answer: GetLanguageCoverageResponse;
}) {
  if (categories.length === 0) return <p className={layout.dim}>{texts.noCoverage}</p>;
  const languages = [...new Set(coverage.map(({ language }) => language))];
  const cells = new Map(coverage.map((cell) => [`${cell.language} ${cell.category}`, cell]));
  return (
    <Table
      label={`${texts.coverage}, ${texts.ofBundle(version, environment)}`}
      rows={languages}
      keyOf={(language) => language}
      columns={[
        { title: texts.language, cell: (language) => <code>{language}</code> },
        ...categories.map((category) => ({
          title: categoryTitle(category),
          cell: (language: string) => <Cell cell={cells.get(`${language} ${category}`)} />,
        })),
      ]}
    />
  );
}

function Cell({ cell }: { readonly cell: LanguageCoverageCell | undefined }) {
  const name = coverageNames.nameOf(cell?.state);
  if (cell === undefined || name === "") return <>{en.common.none}</>;
  return (
    <>
      <Badge tone={tones[name as keyof typeof tones] ?? "plain"} title={texts.coverageHints[name] ?? ""}>
        {texts.coverageStates[name] ?? name}
      </Badge>{" "}
      {cell.measured !== undefined && <span className={layout.small}>{share(cell.measured.recall)}</span>}
    </>
  );
}

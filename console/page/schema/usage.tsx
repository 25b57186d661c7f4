import { useQuery } from "@connectrpc/connect-query";
import { Link } from "@tanstack/react-router";
import { OutputSchemaService } from "../../../gen/policyguard/control/v1/output_schema_service_pb.ts";
import { useProjects } from "../../data/choice/project.ts";
import { useOrganization } from "../../data/organization.ts";
import layout from "../../part/layout/layout.module.css";
import { Panel } from "../../part/panel.tsx";
import { Answered } from "../../part/state.tsx";
import { Table } from "../../part/table.tsx";
import { en } from "../../text/en.ts";

const texts = en.schemas;

/** The active bundles that contain a schema, and in which version. */
export function SchemaUsagePanel({ name }: { readonly name: string }) {
  const { orgId } = useOrganization();
  const { projects } = useProjects();
  const nameOf = (id: string) => projects.find((project) => project.id === id)?.name ?? id;
  const query = useQuery(OutputSchemaService.method.getSchemaUsageByName, { orgId, schemaName: name });
  return (
    <Panel title={texts.usageTitle}>
      <Answered query={query} rows={2}>
        {({ bundles }) =>
          bundles.length === 0 ? (
            <p className={layout.dim}>{texts.unused}</p>
          ) : (
            <Table
              label={texts.usageTitle}
              rows={bundles}
              keyOf={({ projectId, environment }) => `${projectId} ${environment}`}
              columns={[
                {
                  title: texts.bundle,
                  cell: ({ projectId, environment, bundleVersion }) => (
                    <Link
                      to="/o/$org/environments/$project/$env/$version"
                      params={{ org: orgId, project: projectId, env: environment, version: String(bundleVersion) }}
                    >
                      {`${nameOf(projectId)} / ${environment} ${en.common.version(bundleVersion)}`}
                    </Link>
                  ),
                },
                {
                  title: texts.version,
                  isNumber: true,
                  cell: ({ schemaVersion }) => en.common.version(schemaVersion),
                },
              ]}
            />
          )
        }
      </Answered>
    </Panel>
  );
}

import { useQuery } from "@connectrpc/connect-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { OutputSchema, SchemaUsage } from "../../../gen/policyguard/control/v1/output_schema_pb.ts";
import { OutputSchemaService } from "../../../gen/policyguard/control/v1/output_schema_service_pb.ts";
import { useOrganization } from "../../data/organization.ts";
import { Ago } from "../../part/ago.tsx";
import { Badge } from "../../part/badge.tsx";
import layout from "../../part/layout/layout.module.css";
import { LinkButton } from "../../part/link-button.tsx";
import { NothingYet } from "../../part/onboarding/nothing-yet.tsx";
import { Page } from "../../part/page.tsx";
import { Pager } from "../../part/pager.tsx";
import { Answered, Failed } from "../../part/state.tsx";
import { Table } from "../../part/table.tsx";
import { en } from "../../text/en.ts";

const texts = en.schemas;
const { method } = OutputSchemaService;
const pageSize = 50;

/** The schemas that runtimes hold structured outputs of models against. */
export function SchemasPage() {
  const { orgId, can } = useOrganization();
  const [offset, setOffset] = useState(0);
  const query = useQuery(method.listOutputSchemas, { orgId, limit: pageSize, offset });
  const usage = useQuery(method.getSchemaUsage, { orgId });
  const create = can(method.createOutputSchema) && (
    <LinkButton hotkey="create" to="/o/$org/schemas/new" params={{ org: orgId }}>
      {texts.create}
    </LinkButton>
  );
  return (
    <Page title={texts.title} note={query.data && en.common.total(query.data.total)} actions={create}>
      <p className={layout.dim}>{texts.text}</p>
      {usage.error !== null && <Failed error={usage.error} onRetry={usage.refetch} />}
      <Answered query={query}>
        {({ schemas, total }) => (
          <>
            {total === 0 && (
              <NothingYet of="schemas" title={texts.empty} text={texts.emptyText}>
                {create}
              </NothingYet>
            )}
            {total > 0 && <Schemas schemas={schemas} usage={usage.data?.schemas} />}
            <Pager offset={offset} size={pageSize} total={total} onMove={setOffset} />
          </>
        )}
      </Answered>
    </Page>
  );
}

function Schemas({
  schemas,
  usage,
}: {
  readonly schemas: readonly OutputSchema[];
  /** Undefined while it is not known. */
  readonly usage: readonly SchemaUsage[] | undefined;
}) {
  return (
    <Table
      label={texts.title}
      rows={schemas}
      keyOf={({ id }) => id}
      columns={[
        {
          title: texts.name,
          cell: ({ id, orgId, name, description }) => (
            <span className={layout.name}>
              <Link to="/o/$org/schemas/$schema" params={{ org: orgId, schema: id }}>
                {name}
              </Link>
              {description !== undefined && <span className={layout.small}>{description}</span>}
            </span>
          ),
        },
        { title: texts.version, phone: "below", isNumber: true, cell: ({ version }) => en.common.version(version) },
        {
          title: texts.state,
          phone: "end",
          cell: ({ enabled }) => <Badge tone={enabled ? "good" : "notice"}>{enabled ? texts.on : texts.off}</Badge>,
        },
        {
          title: texts.usage,
          phone: "below",
          cell: ({ id }) => <Usage usage={usage?.find(({ schemaId }) => schemaId === id)} />,
        },
        { title: texts.changed, phone: "named", isNumber: true, cell: ({ updatedAt }) => <Ago time={updatedAt} /> },
      ]}
    />
  );
}

function Usage({ usage }: { readonly usage: SchemaUsage | undefined }) {
  if (usage === undefined) return <>{en.common.none}</>;
  return (
    <>
      {texts.bundles(usage.activeBundles)}{" "}
      {usage.outdatedBundles > 0 && <Badge tone="notice">{texts.outdated(usage.outdatedBundles)}</Badge>}
    </>
  );
}

import { useQuery } from "@connectrpc/connect-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import type { Pack } from "../../../gen/policyguard/control/v1/pack_pb.ts";
import { PackService } from "../../../gen/policyguard/control/v1/pack_service_pb.ts";
import { useOrganization } from "../../data/organization.ts";
import { Button } from "../../part/button.tsx";
import { Select, TypedFilter } from "../../part/field.tsx";
import layout from "../../part/layout/layout.module.css";
import { Page } from "../../part/page.tsx";
import { Answered, Empty } from "../../part/state.tsx";
import { Table } from "../../part/table.tsx";
import { en } from "../../text/en.ts";
import { count } from "../../text/format.ts";

const texts = en.packs;
const from = "/o/$org/packs";
/** The packs ship with the product and are fewer than a page. */
const maxPacks = 200;

/** The guard packs: policies with tests, ready to be applied. */
export function PacksPage() {
  const { q, category } = useSearch({ from });
  const navigate = useNavigate({ from });
  const all = useQuery(PackService.method.listPacks, { limit: maxPacks });
  const query = useQuery(PackService.method.listPacks, {
    limit: maxPacks,
    ...(q === undefined ? {} : { search: q }),
    ...(category === undefined ? {} : { category }),
  });
  const categories = [...new Set(all.data?.packs.map((each) => each.category))].toSorted();
  const filter = (part: { readonly q?: string; readonly category?: string }) =>
    navigate({ search: (former) => ({ ...former, ...part }), replace: true });
  return (
    <Page title={texts.title} note={query.data && texts.total(query.data.total)}>
      <p className={layout.dim}>{texts.text}</p>
      <search className={layout.filters}>
        <TypedFilter label={texts.filter} value={q} onChange={(value) => filter({ q: value ?? "" })} />
        <Select
          label={texts.category}
          value={category ?? ""}
          onChange={({ target }) => filter({ category: target.value })}
        >
          <option value="">{en.common.all}</option>
          {categories.map((each) => (
            <option key={each} value={each}>
              {each}
            </option>
          ))}
        </Select>
      </search>
      <Answered query={query}>
        {({ packs }) =>
          packs.length === 0 ? (
            <Empty title={texts.noMatch}>
              <Button onClick={() => navigate({ search: {}, replace: true })}>{en.traces.clear}</Button>
            </Empty>
          ) : (
            <Packs packs={packs} />
          )
        }
      </Answered>
    </Page>
  );
}

function Packs({ packs }: { readonly packs: readonly Pack[] }) {
  const { orgId } = useOrganization();
  return (
    <Table
      label={texts.title}
      rows={packs}
      keyOf={({ id }) => id}
      columns={[
        {
          title: texts.name,
          cell: ({ name, displayName, description }) => (
            <span className={layout.name}>
              <Link to="/o/$org/packs/$pack" params={{ org: orgId, pack: name }}>
                {displayName}
              </Link>
              <span className={layout.small}>{description}</span>
            </span>
          ),
        },
        { title: texts.category, phone: "below", cell: ({ category }) => category },
        { title: texts.version, phone: "named", isNumber: true, cell: ({ version }) => version },
        { title: texts.tests, phone: "named", isNumber: true, cell: ({ testCount }) => count(testCount) },
        { title: texts.installs, phone: "named", isNumber: true, cell: ({ installCount }) => count(installCount) },
      ]}
    />
  );
}

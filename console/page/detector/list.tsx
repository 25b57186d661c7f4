import { useQuery } from "@connectrpc/connect-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import type { CatalogDetector } from "../../../gen/policyguard/control/v1/hub_pb.ts";
import { HubService } from "../../../gen/policyguard/control/v1/hub_service_pb.ts";
import { useOrganization } from "../../data/organization.ts";
import { Button } from "../../part/button.tsx";
import { Select, TypedFilter } from "../../part/field.tsx";
import layout from "../../part/layout/layout.module.css";
import { Page } from "../../part/page.tsx";
import { Answered, Empty } from "../../part/state.tsx";
import { Table } from "../../part/table.tsx";
import { en } from "../../text/en.ts";
import { count } from "../../text/format.ts";
import { Backends } from "./backends.tsx";

const texts = en.detectors;
const from = "/o/$org/detectors";
/** The catalog ships with the product and is smaller than a page. */
const maxDetectors = 200;

/** The detectors that every policy may use, and those that the organization runs itself. */
export function DetectorsPage() {
  const { q, category, type } = useSearch({ from });
  const navigate = useNavigate({ from });
  const all = useQuery(HubService.method.listDetectors, { limit: maxDetectors });
  const query = useQuery(HubService.method.listDetectors, {
    limit: maxDetectors,
    ...(q === undefined ? {} : { search: q }),
    ...(category === undefined ? {} : { category }),
    ...(type === undefined ? {} : { detectorType: type }),
  });
  const filter = (part: { readonly q?: string; readonly category?: string; readonly type?: string }) =>
    navigate({ search: (former) => defined({ ...former, ...part }), replace: true });
  return (
    <Page title={texts.title} note={query.data && texts.total(query.data.total)}>
      <p className={layout.dim}>{texts.text}</p>
      <search className={layout.filters}>
        <TypedFilter label={texts.filter} value={q} onChange={(value) => filter({ q: value ?? "" })} />
        <Facet
          label={texts.category}
          value={category}
          values={all.data?.detectors.map((each) => each.category ?? "")}
          onChoose={(value) => filter({ category: value })}
        />
        <Facet
          label={texts.type}
          value={type}
          values={all.data?.detectors.map(({ detectorType }) => detectorType)}
          onChoose={(value) => filter({ type: value })}
        />
      </search>
      <Answered query={query}>
        {({ detectors }) =>
          detectors.length === 0 ? (
            <Empty title={texts.noMatch}>
              <Button onClick={() => navigate({ search: {}, replace: true })}>{en.traces.clear}</Button>
            </Empty>
          ) : (
            <Detectors detectors={detectors} />
          )
        }
      </Answered>
      <Backends />
    </Page>
  );
}

/** Without those that are empty, which stand for all. */
function defined<T extends Readonly<Record<string, string | undefined>>>(search: T): Partial<T> {
  // `fromEntries` forgets which names there can be.
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== "")) as Partial<T>;
}

function Facet({
  label,
  value = "",
  values = [],
  onChoose,
}: {
  readonly label: string;
  readonly value: string | undefined;
  readonly values: readonly string[] | undefined;
  readonly onChoose: (value: string) => void;
}) {
  return (
    <Select label={label} value={value} onChange={({ target }) => onChoose(target.value)}>
      <option value="">{en.common.all}</option>
      {[...new Set(value === "" ? values : [...values, value])]
        .filter((each) => each !== "")
        .toSorted()
        .map((each) => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
    </Select>
  );
}

function Detectors({ detectors }: { readonly detectors: readonly CatalogDetector[] }) {
  const { orgId } = useOrganization();
  return (
    <Table
      label={texts.title}
      rows={detectors}
      keyOf={({ id }) => id}
      columns={[
        {
          title: texts.name,
          cell: ({ name, displayName, description }) => (
            <span className={layout.name}>
              <Link to="/o/$org/detectors/$detector" params={{ org: orgId, detector: name }}>
                {displayName}
              </Link>
              <span className={layout.small}>{description}</span>
            </span>
          ),
        },
        { title: texts.key, phone: "below", cell: ({ name }) => <code>{name}</code> },
        { title: texts.category, phone: "below", cell: ({ category }) => category ?? "" },
        { title: texts.type, phone: "below", cell: ({ detectorType }) => detectorType },
        { title: texts.installs, phone: "named", isNumber: true, cell: ({ installCount }) => count(installCount) },
      ]}
    />
  );
}

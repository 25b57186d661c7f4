import { useQuery } from "@connectrpc/connect-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import type { PackDetail } from "../../../gen/policyguard/control/v1/pack_pb.ts";
import { PackService } from "../../../gen/policyguard/control/v1/pack_service_pb.ts";
import { useOrganization } from "../../data/organization.ts";
import { Facts } from "../../part/facts.tsx";
import { Select } from "../../part/field.tsx";
import { Outcome } from "../../part/judgement/outcome.tsx";
import { outcomes } from "../../part/judgement/outcome-name.ts";
import layout from "../../part/layout/layout.module.css";
import { Page } from "../../part/page.tsx";
import { Panel } from "../../part/panel.tsx";
import { Answered } from "../../part/state.tsx";
import { Table } from "../../part/table.tsx";
import { en } from "../../text/en.ts";
import { count, share } from "../../text/format.ts";
import { ApplyPanel } from "./apply.tsx";
import { ruleRows } from "./rule.ts";

const texts = en.packs;
const from = "/o/$org/packs/$pack";

/** One guard pack: what it does, how it does on its own tests, and the form that applies it. */
export function PackPage() {
  const { can } = useOrganization();
  const { pack: packId } = useParams({ from });
  const { version } = useSearch({ from });
  const query = useQuery(PackService.method.getPack, { packId, ...(version === undefined ? {} : { version }) });
  const pack = query.data?.pack;
  return (
    <Page title={pack?.displayName ?? texts.pack} note={pack && <code>{pack.name}</code>}>
      <Answered query={query}>
        {() =>
          pack && (
            <div className={layout.columns}>
              <div className={layout.stack}>
                <About pack={pack} />
                <Rules pack={pack} />
              </div>
              {can(PackService.method.applyPack) && <ApplyPanel key={`${pack.id} ${pack.version}`} pack={pack} />}
            </div>
          )
        }
      </Answered>
    </Page>
  );
}

function About({ pack }: { readonly pack: PackDetail }) {
  const { description, category, author, controls, testCount, installCount, benchmark, tags } = pack;
  return (
    <Panel title={texts.about} text={description} actions={<Version pack={pack} />}>
      <Facts
        facts={[
          [texts.category, category],
          [texts.author, author],
          [texts.controls, controls.length === 0 ? en.common.none : controls.join(", ")],
          [texts.tags, tags.join(", ")],
          [texts.tests, count(testCount)],
          [texts.installs, count(installCount)],
          ...(benchmark === undefined
            ? []
            : ([
                [texts.caught, texts.of(benchmark.attacksCaught, benchmark.attacks)],
                [texts.falseAlarms, texts.of(benchmark.falsePositives, benchmark.benign)],
                [texts.robustness, texts.measured(share(benchmark.robustness), benchmark.measuredOn)],
              ] as const)),
        ]}
      />
    </Panel>
  );
}

function Version({ pack: { version, versions } }: { readonly pack: PackDetail }) {
  const navigate = useNavigate({ from });
  return (
    <Select
      label={texts.version}
      value={version}
      onChange={({ target }) => navigate({ search: { version: target.value }, replace: true })}
    >
      {versions.map((each) => (
        <option key={each} value={each}>
          {each}
        </option>
      ))}
    </Select>
  );
}

function Rules({ pack: { document } }: { readonly pack: PackDetail }) {
  return (
    <Panel title={texts.rules} text={texts.rulesText}>
      <Table
        label={texts.rules}
        rows={ruleRows(document)}
        keyOf={({ id }) => id}
        columns={[
          { title: texts.rule, cell: ({ id }) => <code>{id}</code> },
          { title: texts.stages, isExtra: true, cell: ({ stages }) => stages },
          { title: texts.action, cell: ({ action }) => <Outcome value={outcomes.find((each) => each === action)} /> },
        ]}
      />
    </Panel>
  );
}

import { useQuery } from "@connectrpc/connect-query";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import type { EnabledLanguage, LanguagePack } from "../../../gen/policyguard/control/v1/language_pb.ts";
import { LanguageService } from "../../../gen/policyguard/control/v1/language_service_pb.ts";
import { useProjects } from "../../data/choice/project.ts";
import { useOrganization } from "../../data/organization.ts";
import { Ago } from "../../part/ago.tsx";
import { Badge } from "../../part/badge.tsx";
import { Button } from "../../part/button.tsx";
import { Facts } from "../../part/facts.tsx";
import layout from "../../part/layout/layout.module.css";
import { Page } from "../../part/page.tsx";
import { Panel } from "../../part/panel.tsx";
import { Answered } from "../../part/state.tsx";
import { Table } from "../../part/table.tsx";
import { en } from "../../text/en.ts";
import { count, share } from "../../text/format.ts";
import { type Changed, DisableDialog, EnableDialog } from "./deeds.tsx";
import { Keywords } from "./keywords.tsx";
import { categoryTitle } from "./names.ts";
import { Trust } from "./trust.tsx";

const texts = en.languages;
const { method } = LanguageService;
const maxPacks = 200;

/** One language pack: what it knows, whether it is enabled, and the organization's own keywords in its language. */
export function LanguagePage() {
  const { orgId } = useOrganization();
  const { language } = useParams({ from: "/o/$org/languages/$language" });
  const query = useQuery(method.getLanguagePack, { language });
  const enabled = useQuery(method.listEnabledLanguages, { orgId, limit: maxPacks });
  const [changed, setChanged] = useState<Changed>();
  const mine = enabled.data?.enabled.find((each) => each.language === language);
  const pack = query.data?.pack;
  return (
    <Page
      title={pack?.name ?? texts.language}
      note={enabled.data && <Badge tone={mine ? "good" : "plain"}>{mine ? texts.on : texts.off}</Badge>}
      actions={pack && enabled.data && <Deeds pack={pack} enabled={mine} onDone={setChanged} />}
    >
      {changed !== undefined && <Told changed={changed} />}
      <Answered query={query}>
        {() =>
          pack && (
            <>
              <About pack={pack} enabled={mine} />
              <Measures pack={pack} />
            </>
          )
        }
      </Answered>
      {mine !== undefined && <Environments enabled={mine} />}
      {pack !== undefined && <Keywords orgId={orgId} language={language} />}
    </Page>
  );
}

/** What a change has made at once, and where it waits. */
function Told({ changed: { bundles, pending } }: { readonly changed: Changed }) {
  return (
    <div role="status">
      {bundles > 0 && <p>{texts.made(bundles)}</p>}
      {pending.length > 0 && <p>{texts.pending(pending.length)}</p>}
      <ul>
        {pending.map(({ projectId, environment, reason }) => (
          <li key={`${projectId} ${environment}`} className={layout.dim}>
            {texts.reason(environment, reason)}
          </li>
        ))}
      </ul>
    </div>
  );
}

function Deeds({
  pack,
  enabled,
  onDone,
}: {
  readonly pack: LanguagePack;
  readonly enabled: EnabledLanguage | undefined;
  readonly onDone: (changed: Changed) => void;
}) {
  const { can } = useOrganization();
  const [dialog, setDialog] = useState<"enable" | "disable">();
  const close = () => setDialog(undefined);
  return (
    <>
      {can(method.enableLanguage) && (
        <Button kind={enabled === undefined ? "primary" : "plain"} onClick={() => setDialog("enable")}>
          {enabled === undefined ? texts.enable : texts.change}
        </Button>
      )}
      {enabled !== undefined && can(method.disableLanguage) && (
        <Button onClick={() => setDialog("disable")}>{texts.disable}</Button>
      )}
      {dialog === "enable" && <EnableDialog pack={pack} chosen={enabled?.categories} onDone={onDone} onClose={close} />}
      {dialog === "disable" && <DisableDialog pack={pack} onDone={onDone} onClose={close} />}
    </>
  );
}

function About({
  pack: { description, version, trustLevel, scripts, testCount, categories, changelog, nativeName, language },
  enabled,
}: {
  readonly pack: LanguagePack;
  readonly enabled: EnabledLanguage | undefined;
}) {
  const names = Object.entries(categories).map(([name, n]) => `${categoryTitle(name)} (${count(n)})`);
  return (
    <Panel title={texts.about} text={description}>
      <Facts
        facts={[
          [texts.language, <span key="name">{`${nativeName} (${language})`}</span>],
          [texts.trust, <Trust key="trust" level={trustLevel} />],
          [texts.version, version],
          [texts.scripts, scripts.join(", ")],
          [texts.categories, names.join(", ")],
          [texts.tests, count(testCount)],
          ...(enabled === undefined
            ? []
            : ([
                [
                  texts.enabledBy,
                  <span key="by">
                    {enabled.enabledBy}, <Ago time={enabled.enabledAt} />
                  </span>,
                ],
              ] as const)),
          ...(changelog.length === 0 ? [] : ([[texts.changelog, changelog[0]]] as const)),
        ]}
      />
    </Panel>
  );
}

function Measures({ pack: { coverage } }: { readonly pack: LanguagePack }) {
  const measures = Object.entries(coverage);
  return (
    <Panel title={texts.measures}>
      {measures.length === 0 && <p className={layout.dim}>{texts.noMeasures}</p>}
      {measures.length > 0 && (
        <Table
          label={texts.measures}
          rows={measures}
          keyOf={([category]) => category}
          columns={[
            { title: texts.category, cell: ([category]) => categoryTitle(category) },
            { title: texts.recall, isNumber: true, cell: ([, { recall }]) => share(recall) },
            {
              title: texts.falsePositives,
              isNumber: true,
              cell: ([, { falsePositiveRate }]) => share(falsePositiveRate),
            },
            {
              title: texts.texts,
              isNumber: true,
              isExtra: true,
              cell: ([, { positives, negatives }]) => texts.ofBoth(count(positives), count(negatives)),
            },
          ]}
        />
      )}
    </Panel>
  );
}

function Environments({ enabled: { environments } }: { readonly enabled: EnabledLanguage }) {
  const { projects } = useProjects();
  const nameOf = (id: string) => projects.find((project) => project.id === id)?.name ?? id;
  return (
    <Panel title={texts.environments}>
      {environments.length === 0 && <p className={layout.dim}>{texts.noEnvironments}</p>}
      {environments.length > 0 && (
        <Table
          label={texts.environments}
          rows={environments}
          keyOf={({ projectId, environment }) => `${projectId} ${environment}`}
          columns={[
            {
              title: texts.environment,
              cell: ({ projectId, environment }) => `${nameOf(projectId)} / ${environment}`,
            },
            {
              title: texts.state,
              cell: ({ inActiveBundle, updateAvailable }) => (
                <Badge tone={inActiveBundle ? "good" : "notice"}>
                  {inActiveBundle ? texts.upToDate : updateAvailable ? texts.behind : texts.absent}
                </Badge>
              ),
            },
          ]}
        />
      )}
    </Panel>
  );
}

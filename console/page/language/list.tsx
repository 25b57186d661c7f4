import { useQuery } from "@connectrpc/connect-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import type { EnabledLanguage, LanguagePack } from "../../../gen/policyguard/control/v1/language_pb.ts";
import { LanguageService } from "../../../gen/policyguard/control/v1/language_service_pb.ts";
import { useOrganization } from "../../data/organization.ts";
import { Badge } from "../../part/badge.tsx";
import { Button } from "../../part/button.tsx";
import { TypedFilter } from "../../part/field.tsx";
import layout from "../../part/layout/layout.module.css";
import { Page } from "../../part/page.tsx";
import { Answered, Empty } from "../../part/state.tsx";
import { Table } from "../../part/table.tsx";
import { en } from "../../text/en.ts";
import { count } from "../../text/format.ts";
import { Coverage } from "./coverage.tsx";
import { Trust } from "./trust.tsx";

const texts = en.languages;
const { method } = LanguageService;
const maxPacks = 200;

/** The language packs, which of them the organization has enabled, and what its bundles cover. */
export function LanguagesPage() {
  const { orgId } = useOrganization();
  const { q } = useSearch({ from: "/o/$org/languages" });
  const navigate = useNavigate({ from: "/o/$org/languages" });
  const query = useQuery(method.listLanguagePacks, { limit: maxPacks, ...(q === undefined ? {} : { search: q }) });
  const enabled = useQuery(method.listEnabledLanguages, { orgId, limit: maxPacks });
  const onFilter = (next: string | undefined) =>
    navigate({
      search: (former) => (next === undefined ? without(former, "q") : { ...former, q: next }),
      replace: true,
    });
  return (
    <Page title={texts.title} note={query.data && texts.packs(query.data.total)}>
      <p className={layout.dim}>{texts.text}</p>
      <search className={layout.filters}>
        <TypedFilter label={texts.filter} value={q} onChange={onFilter} />
      </search>
      <Answered query={query}>
        {({ multilingual }) =>
          multilingual.length === 0 ? (
            <Empty title={texts.noMatch}>
              <Button onClick={() => onFilter(undefined)}>{en.traces.clear}</Button>
            </Empty>
          ) : (
            <Packs packs={multilingual} enabled={enabled.data?.enabled} />
          )
        }
      </Answered>
      <Coverage />
    </Page>
  );
}

function without<T extends object, Name extends keyof T>(search: T, name: Name): Omit<T, Name> {
  const { [name]: _, ...rest } = search;
  return rest;
}

function Packs({
  packs,
  enabled,
}: {
  readonly packs: readonly LanguagePack[];
  /** Undefined while it is not known. */
  readonly enabled: readonly EnabledLanguage[] | undefined;
}) {
  const { orgId } = useOrganization();
  return (
    <Table
      label={texts.title}
      rows={packs}
      keyOf={({ language }) => language}
      columns={[
        {
          title: texts.language,
          cell: ({ language, name }) => (
            <Link to="/o/$org/languages/$language" params={{ org: orgId, language }}>
              {name}
            </Link>
          ),
        },
        {
          title: texts.native,
          phone: "below",
          cell: ({ language, nativeName }) => <span lang={language}>{nativeName}</span>,
        },
        { title: texts.trust, phone: "below", cell: ({ trustLevel }) => <Trust level={trustLevel} /> },
        {
          title: texts.terms,
          phone: "named",
          isNumber: true,
          cell: ({ categories, patternCount }) =>
            count(Object.values(categories).reduce((sum, n) => sum + n, patternCount)),
        },
        {
          title: texts.state,
          phone: "end",
          cell: ({ language }) => (
            <State enabled={enabled?.find((each) => each.language === language)} isKnown={enabled !== undefined} />
          ),
        },
      ]}
    />
  );
}

function State({ enabled, isKnown }: { readonly enabled: EnabledLanguage | undefined; readonly isKnown: boolean }) {
  if (!isKnown) return <>{en.common.none}</>;
  if (enabled === undefined) return <span className={layout.dim}>{texts.off}</span>;
  const outdated = enabled.environments.filter(({ inActiveBundle }) => !inActiveBundle).length;
  return (
    <>
      <Badge tone="good">{texts.on}</Badge> {outdated > 0 && <Badge tone="notice">{texts.outdated(outdated)}</Badge>}
    </>
  );
}

import { useQuery } from "@connectrpc/connect-query";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import type { CatalogDetector, DetectorExample } from "../../../gen/policyguard/control/v1/hub_pb.ts";
import { HubService } from "../../../gen/policyguard/control/v1/hub_service_pb.ts";
import { PolicyService } from "../../../gen/policyguard/control/v1/policy_service_pb.ts";
import { useOrganization } from "../../data/organization.ts";
import { Button } from "../../part/button.tsx";
import { Facts } from "../../part/facts.tsx";
import layout from "../../part/layout/layout.module.css";
import { Page } from "../../part/page.tsx";
import { Panel } from "../../part/panel.tsx";
import { Answered } from "../../part/state.tsx";
import { Table } from "../../part/table.tsx";
import { en } from "../../text/en.ts";
import { count, decimal, share } from "../../text/format.ts";
import { parameterRows } from "./parameter-row.ts";
import { TryDetector } from "./try.tsx";

const texts = en.detectors;

/** One detector of the catalog: what it finds, how it is set, how well it does, and a text to try it on. */
export function DetectorPage() {
  const { detector: detectorId } = useParams({ from: "/o/$org/detectors/$detector" });
  const query = useQuery(HubService.method.getDetector, { detectorId });
  const detector = query.data?.detector;
  return (
    <Page title={detector?.displayName ?? texts.detector} note={detector && <code>{detector.name}</code>}>
      <Answered query={query}>{() => detector && <Content key={detector.id} detector={detector} />}</Answered>
    </Page>
  );
}

function Content({ detector }: { readonly detector: CatalogDetector }) {
  const { can } = useOrganization();
  const [example, setExample] = useState(detector.examples[0]);
  const [tries, setTries] = useState(0);
  const tryIt = (chosen: DetectorExample) => {
    setExample(chosen);
    setTries(tries + 1);
  };
  const mayTry = can(PolicyService.method.explainPolicies) && detector.detectorType !== "backend";
  return (
    <div className={layout.columns}>
      <div className={layout.stack}>
        <About detector={detector} />
        <Parameters detector={detector} />
        <Measures detector={detector} />
      </div>
      <div className={layout.stack}>
        {mayTry && <TryDetector key={tries} detector={detector} example={example} />}
        <Examples examples={detector.examples} onTry={mayTry ? tryIt : undefined} />
      </div>
    </div>
  );
}

function About({ detector }: { readonly detector: CatalogDetector }) {
  const { category, detectorType, categories, languages, costClass, scope, defaultThreshold } = detector;
  const { version, author, installCount, references } = detector;
  return (
    <Panel title={texts.about} text={detector.description}>
      <Facts
        facts={[
          [texts.finds, categories.join(", ")],
          [texts.category, category ?? en.common.none],
          [texts.type, texts.types[detectorType] ?? detectorType],
          [texts.languages, languages.includes("*") ? texts.everyLanguage : languages.join(", ")],
          [texts.threshold, decimal(defaultThreshold)],
          [texts.cost, texts.costs[costClass] ?? costClass],
          [texts.scope, texts.scopes[scope] ?? scope],
          [texts.version, author === undefined ? version : texts.versionBy(version, author)],
          [texts.installs, count(installCount)],
          ...(references.length === 0 ? [] : ([[texts.references, references.join(", ")]] as const)),
        ]}
      />
    </Panel>
  );
}

function Parameters({ detector: { parameters, entities } }: { readonly detector: CatalogDetector }) {
  const rows = parameterRows(parameters);
  return (
    <Panel title={texts.parameters} text={entities.length === 0 ? undefined : texts.entities(entities.join(", "))}>
      {rows.length === 0 && <p className={layout.dim}>{texts.noParameters}</p>}
      {rows.length > 0 && (
        <Table
          label={texts.parameters}
          rows={rows}
          keyOf={({ name }) => name}
          columns={[
            { title: texts.parameter, cell: ({ name }) => <code>{name}</code> },
            { title: texts.takes, cell: ({ takes }) => takes },
            { title: texts.meaning, isExtra: true, cell: ({ description }) => description },
          ]}
        />
      )}
    </Panel>
  );
}

function Measures({ detector: { measures } }: { readonly detector: CatalogDetector }) {
  return (
    <Panel title={texts.measures}>
      {measures.length === 0 && <p className={layout.dim}>{texts.noMeasures}</p>}
      {measures.length > 0 && (
        <Table
          label={texts.measures}
          rows={measures}
          keyOf={({ name, data }) => `${name} ${data}`}
          columns={[
            { title: texts.measure, cell: ({ name }) => name },
            { title: texts.value, isNumber: true, cell: ({ value }) => share(value) },
            { title: texts.data, isExtra: true, cell: ({ data }) => data },
          ]}
        />
      )}
    </Panel>
  );
}

function Examples({
  examples,
  onTry,
}: {
  readonly examples: readonly DetectorExample[];
  /** Undefined for those who may not. */
  readonly onTry: ((example: DetectorExample) => void) | undefined;
}) {
  return (
    <Panel title={texts.examples}>
      {examples.length === 0 && <p className={layout.dim}>{texts.noExamples}</p>}
      {examples.length > 0 && (
        <Table
          label={texts.examples}
          rows={examples}
          keyOf={({ text, parameters }) => `${text} ${JSON.stringify(parameters ?? {})}`}
          columns={[
            { title: texts.example, cell: ({ text }) => text },
            {
              title: texts.finds,
              cell: ({ categories }) => (categories.length === 0 ? texts.nothing : categories.join(", ")),
            },
            ...(onTry === undefined
              ? []
              : [
                  {
                    title: "",
                    isNumber: true,
                    cell: (example: DetectorExample) => (
                      <Button kind="quiet" aria-label={texts.tryOf(example.text)} onClick={() => onTry(example)}>
                        {texts.tryShort}
                      </Button>
                    ),
                  },
                ]),
          ]}
        />
      )}
    </Panel>
  );
}

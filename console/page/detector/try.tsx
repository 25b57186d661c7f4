import type { JsonObject } from "@bufbuild/protobuf";
import { callUnaryMethod } from "@connectrpc/connect-query";
import { type KeyboardEvent, useState } from "react";
import type { CatalogDetector, DetectorExample } from "../../../gen/policyguard/control/v1/hub_pb.ts";
import { PolicyService } from "../../../gen/policyguard/control/v1/policy_service_pb.ts";
import type { ExplainedDetection, Explanation } from "../../../gen/policyguard/policy/v1/explanation_pb.ts";
import { documentOf } from "../../data/document.ts";
import { useOrganization } from "../../data/organization.ts";
import { transport } from "../../data/transport.ts";
import { Badge } from "../../part/badge.tsx";
import { useBusy } from "../../part/busy.ts";
import { Button } from "../../part/button.tsx";
import { TextArea } from "../../part/field.tsx";
import { MarkedText } from "../../part/judgement/marked-text.tsx";
import { isPressed } from "../../part/keys/shortcuts.ts";
import layout from "../../part/layout/layout.module.css";
import { Panel } from "../../part/panel.tsx";
import { Failed } from "../../part/state.tsx";
import { Table } from "../../part/table.tsx";
import { en } from "../../text/en.ts";
import { decimal } from "../../text/format.ts";
import { parseParameters, trialOf } from "./trial.ts";

const texts = en.detectors;

interface Tried {
  readonly text: string;
  readonly explanation: Explanation;
}

/** Tries the detector on a text: a policy of one rule judges it in the playground. */
export function TryDetector({
  detector: { name },
  example,
}: {
  readonly detector: CatalogDetector;
  readonly example: DetectorExample | undefined;
}) {
  const { orgId } = useOrganization();
  const [text, setText] = useState(example?.text ?? "");
  const [parameters, setParameters] = useState(writtenOf(example?.parameters));
  const [tried, setTried] = useState<Tried>();
  const { run, isBusy, error } = useBusy();
  const parsed = parseParameters(parameters);
  const judge = () => {
    if (parsed.fault !== undefined || text === "") return;
    const document = documentOf(trialOf(name, parsed.parameters));
    run(async () => {
      const request = { orgId, document, request: { text } };
      const { explanation } = await callUnaryMethod(transport, PolicyService.method.explainPolicies, request);
      if (explanation !== undefined) setTried({ text, explanation });
    });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (!isPressed("judge", event)) return;
    event.preventDefault();
    judge();
  };
  return (
    <Panel title={texts.tryTitle} text={texts.tryText}>
      <TextArea
        label={texts.tryOn}
        rows={3}
        value={text}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={onKeyDown}
      />
      <TextArea
        label={texts.parameters}
        hint={texts.parametersHint}
        fault={parsed.fault}
        rows={2}
        spellCheck={false}
        value={parameters}
        onChange={({ target }) => setParameters(target.value)}
        onKeyDown={onKeyDown}
      />
      <div className={layout.row}>
        <Button kind="primary" disabled={isBusy || text === ""} why={parsed.fault} hotkey="judge" onClick={judge}>
          {texts.try}
        </Button>
      </div>
      {error !== undefined && <Failed error={error} />}
      {tried !== undefined && <Found tried={tried} />}
    </Panel>
  );
}

function writtenOf(parameters: JsonObject | undefined): string {
  return parameters === undefined || Object.keys(parameters).length === 0 ? "" : JSON.stringify(parameters);
}

function Found({ tried: { text, explanation } }: { readonly tried: Tried }) {
  const [segment] = explanation.segments;
  const detections = segment?.detections ?? [];
  const matched = explanation.policies.some(({ rules }) => rules.some((rule) => rule.matched));
  const highest = Math.max(0, ...(segment?.quiet ?? []).map(({ score }) => score));
  return (
    <div className={layout.stack} role="status">
      <p className={layout.row}>
        <Badge tone={matched ? "notice" : "plain"}>{matched ? texts.found : texts.foundNothing}</Badge>
        {detections.length === 0 && highest > 0 && texts.highest(decimal(highest))}
      </p>
      <MarkedText text={text} spans={detections.map(markOf)} />
      {detections.length > 0 && (
        <Table
          label={texts.detections}
          rows={detections}
          keyOf={({ category, start, end, layer }) => `${category} ${start} ${end} ${layer}`}
          columns={[
            { title: texts.finds, cell: ({ category }) => category },
            { title: texts.piece, cell: ({ start, end }) => text.slice(start, end) },
            { title: texts.score, isNumber: true, cell: ({ score }) => decimal(score) },
            { title: texts.layer, isExtra: true, cell: ({ layer }) => layer },
          ]}
        />
      )}
    </div>
  );
}

function markOf({ start, end, category, score }: ExplainedDetection) {
  return { start, end, outcome: "FLAG", label: `${category} ${decimal(score)}` } as const;
}

import { callUnaryMethod } from "@connectrpc/connect-query";
import { useState } from "react";
import {
  OutputSchemaService,
  type ValidateOutputResponse,
} from "../../../gen/policyguard/control/v1/output_schema_service_pb.ts";
import { useOrganization } from "../../data/organization.ts";
import { transport } from "../../data/transport.ts";
import { Badge } from "../../part/badge.tsx";
import { useBusy } from "../../part/busy.ts";
import { Button } from "../../part/button.tsx";
import { TextArea } from "../../part/field.tsx";
import { useLatest } from "../../part/latest.ts";
import layout from "../../part/layout/layout.module.css";
import { Panel } from "../../part/panel.tsx";
import { Failed } from "../../part/state.tsx";
import { Table } from "../../part/table.tsx";
import { en } from "../../text/en.ts";

const texts = en.schemas;
const { method } = OutputSchemaService;

/** Holds an output of a model against the saved schema, as runtimes do. */
export function TryOutput({ schemaId }: { readonly schemaId: string }) {
  const { orgId, can } = useOrganization();
  const [text, setText] = useState("");
  const [answer, setAnswer] = useState<ValidateOutputResponse>();
  const { run, isBusy, error } = useBusy();
  const latest = useLatest(text);
  if (!can(method.validateOutput)) return null;
  const check = () =>
    run(async () => {
      const about = await callUnaryMethod(transport, method.validateOutput, { orgId, schemaId, text });
      if (latest.current === text) setAnswer(about);
    });
  return (
    <Panel title={texts.tryTitle} text={texts.tryText}>
      <TextArea
        label={texts.output}
        rows={4}
        spellCheck={false}
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          setAnswer(undefined);
        }}
      />
      <div className={layout.row}>
        <Button disabled={isBusy || text === ""} onClick={check}>
          {texts.check}
        </Button>
        {answer !== undefined && (
          <span role="status">
            <Badge tone={answer.valid ? "good" : "bad"}>{answer.valid ? texts.fits : texts.fitsNot}</Badge>{" "}
            {texts.against(answer.version)}
          </span>
        )}
      </div>
      {error !== undefined && <Failed error={error} />}
      {answer !== undefined && answer.problems.length > 0 && <Problems problems={answer.problems} />}
    </Panel>
  );
}

function Problems({ problems }: Pick<ValidateOutputResponse, "problems">) {
  return (
    <Table
      label={texts.problems}
      rows={problems}
      keyOf={({ pointer, keyword, message }) => `${pointer} ${keyword} ${message}`}
      columns={[
        { title: texts.pointer, cell: ({ pointer }) => <code>{pointer === "" ? texts.whole : pointer}</code> },
        { title: texts.expected, cell: ({ message }) => message },
      ]}
    />
  );
}

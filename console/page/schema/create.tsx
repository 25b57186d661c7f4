import { type FormEvent, useState } from "react";
import { OutputSchemaService } from "../../../gen/policyguard/control/v1/output_schema_service_pb.ts";
import { draftKey, keepDraft, readDraft } from "../../data/draft.ts";
import { failureOf } from "../../data/failure.ts";
import { useOrganization } from "../../data/organization.ts";
import { perform } from "../../data/perform.ts";
import { CodeEditor } from "../../editor/code-editor.tsx";
import { useBusy } from "../../part/busy.ts";
import { Button } from "../../part/button.tsx";
import { TextField } from "../../part/field.tsx";
import { textsOf } from "../../part/form.ts";
import layout from "../../part/layout/layout.module.css";
import { Page } from "../../part/page.tsx";
import { Panel } from "../../part/panel.tsx";
import { useGoOn } from "../../part/shown.ts";
import { Failed } from "../../part/state.tsx";
import { en } from "../../text/en.ts";
import { useParsed } from "./parsed.ts";
import style from "./schema.module.css";

const texts = en.schemas;
const { method } = OutputSchemaService;

/** What a new schema begins with. */
const template = `{
  "type": "object",
  "required": ["answer"],
  "additionalProperties": false,
  "properties": {
    "answer": {"type": "string", "maxLength": 2000},
    "confidence": {"type": "number", "minimum": 0, "maximum": 1}
  }
}
`;

/** A schema that does not exist yet. */
export function NewSchemaPage() {
  const { orgId, accountId, can } = useOrganization();
  const navigate = useGoOn();
  const key = draftKey(accountId, orgId, "schema/new");
  const [initialText] = useState(() => readDraft(key)?.text ?? template);
  const [text, setText] = useState(initialText);
  const { run, isBusy, error } = useBusy();
  const { parsed, problems } = useParsed(text);
  const mayCreate = can(method.createOutputSchema);
  const change = (next: string) => {
    setText(next);
    keepDraft(key, next === template ? undefined : { text: next, version: 0 });
  };
  const create = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const field = textsOf(event.currentTarget);
    if (parsed.problem !== undefined) return;
    const { schema } = parsed;
    run(async () => {
      const description = field("description");
      const { schema: made } = await perform(method.createOutputSchema, {
        orgId,
        name: field("name"),
        ...(description === "" ? {} : { description }),
        schema,
      });
      keepDraft(key, undefined);
      if (made !== undefined)
        await navigate({ to: "/o/$org/schemas/$schema", params: { org: orgId, schema: made.id }, replace: true });
    });
  };
  const nameFault = error === undefined ? undefined : failureOf(error).fields.find(({ field }) => field === "name");
  return (
    <Page title={texts.newTitle}>
      <form className={style.columns} onSubmit={create}>
        <div className={style.editor}>
          <CodeEditor
            label={texts.document}
            initialText={initialText}
            problems={problems}
            isReadOnly={!mayCreate}
            onChange={change}
          />
        </div>
        <Panel title={texts.about} text={texts.rules}>
          <TextField
            label={texts.name}
            hint={texts.nameHint}
            name="name"
            autoComplete="off"
            spellCheck={false}
            required
            fault={nameFault?.message}
          />
          <TextField label={texts.description} name="description" maxLength={2000} />
          {error !== undefined && <Failed error={error} />}
          {parsed.problem !== undefined && <p role="status">{texts.problem(parsed.problem)}</p>}
          {mayCreate && (
            <div className={layout.row}>
              <Button type="submit" kind="primary" disabled={isBusy} why={parsed.problem && texts.noJson}>
                {texts.confirmCreate}
              </Button>
            </div>
          )}
        </Panel>
      </form>
    </Page>
  );
}

import { useState } from "react";
import { TraceService } from "../../../gen/policyguard/control/v1/trace_service_pb.ts";
import { invalidate } from "../../data/invalidation.ts";
import { useOrganization } from "../../data/organization.ts";
import { saveFile } from "../../data/rest.ts";
import { DeedDialog } from "../../part/deed-dialog.tsx";
import { Select } from "../../part/field.tsx";
import { en } from "../../text/en.ts";
import { exportCommand, queryOf } from "./carried.ts";
import type { TraceSearch } from "./search.ts";

const texts = en.exportTraces;
const formats = ["csv", "jsonl"] as const;

/** Saves the traces of the list as a file. Those who may not see texts get a file without them. */
export function ExportDialog({
  search,
  readAt,
  onClose,
}: {
  readonly search: TraceSearch;
  readonly readAt: Date;
  readonly onClose: () => void;
}) {
  const { orgId } = useOrganization();
  const [format, setFormat] = useState<(typeof formats)[number]>("csv");
  return (
    <DeedDialog
      title={texts.title}
      text={texts.text}
      deed={texts.deed}
      onClose={onClose}
      onDo={async (text) => {
        const query = queryOf(search, readAt);
        query.set("format", format);
        const includesText = text("texts") === "yes";
        if (includesText) query.set("include_text", "true");
        const command = exportCommand(search, readAt, { format, includesText });
        await saveFile(`/v1/orgs/${orgId}/traces/export?${query}`, `traces.${format}`, command);
        await invalidate(TraceService.method.exportTraces);
      }}
    >
      <Select
        label={texts.format}
        value={format}
        onChange={({ target }) => setFormat(formats.find((each) => each === target.value) ?? "csv")}
      >
        {formats.map((each) => (
          <option key={each} value={each}>
            {texts.formats[each]}
          </option>
        ))}
      </Select>
      {format === "jsonl" && (
        <Select label={texts.texts} name="texts" hint={texts.textsHint}>
          <option value="no">{texts.without}</option>
          <option value="yes">{texts.with}</option>
        </Select>
      )}
    </DeedDialog>
  );
}

import { useSearch } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { EvidenceService } from "../../../gen/policyguard/control/v1/evidence_service_pb.ts";
import { invalidate } from "../../data/invalidation.ts";
import { useOrganization } from "../../data/organization.ts";
import { saveFile } from "../../data/rest.ts";
import { useBusy } from "../../part/busy.ts";
import { Button } from "../../part/button.tsx";
import { Select } from "../../part/field.tsx";
import layout from "../../part/layout/layout.module.css";
import { Panel } from "../../part/panel.tsx";
import { Failed } from "../../part/state.tsx";
import { en } from "../../text/en.ts";
import { exportCommand, queryOf } from "./carried.ts";

const texts = en.evidence;
const formats = Object.entries(texts.formats);

/** Takes along what the filters choose, in a form that proves itself. */
export function Export() {
  const { orgId } = useOrganization();
  const search = useSearch({ from: "/o/$org/settings/evidence" });
  const [format, setFormat] = useState("zip");
  const { run, isBusy, error } = useBusy();
  const save = (event: FormEvent) => {
    event.preventDefault();
    run(async () => {
      const path = `/v1/orgs/${orgId}/evidence/export?format=${format}${queryOf(search)}`;
      await saveFile(path, `evidence.${format}`, exportCommand(search, format));
      await invalidate(EvidenceService.method.exportEvidence);
    });
  };
  return (
    <Panel title={texts.export} text={texts.exportText}>
      <form className={layout.stack} onSubmit={save}>
        <Select label={texts.format} value={format} onChange={({ target }) => setFormat(target.value)}>
          {formats.map(([name, title]) => (
            <option key={name} value={name}>
              {title}
            </option>
          ))}
        </Select>
        {Object.keys(search).length > 0 && <p className={layout.dim}>{texts.filtered}</p>}
        {error !== undefined && <Failed error={error} />}
        <div>
          <Button type="submit" disabled={isBusy}>
            {isBusy ? texts.exporting : texts.saveExport}
          </Button>
        </div>
      </form>
    </Panel>
  );
}

import { useQuery } from "@connectrpc/connect-query";
import { useState } from "react";
import { CatalogKind } from "../../../gen/policyguard/control/v1/dataset_catalog_pb.ts";
import { TrainedOn } from "../../../gen/policyguard/control/v1/dataset_pb.ts";
import { DatasetService } from "../../../gen/policyguard/control/v1/dataset_service_pb.ts";
import { useOrganization } from "../../data/organization.ts";
import { perform } from "../../data/perform.ts";
import { DeedDialog } from "../../part/deed-dialog.tsx";
import { Select } from "../../part/field.tsx";
import layout from "../../part/layout/layout.module.css";
import { useGoOn } from "../../part/shown.ts";
import { Answered } from "../../part/state.tsx";
import { en } from "../../text/en.ts";
import { count } from "../../text/format.ts";

const texts = en.datasets;
const { method } = DatasetService;
const maxEntries = 200;

/** Installs a dataset that ships with the product. Its licence is accepted by who installs it. */
export function InstallDialog({ onClose }: { readonly onClose: () => void }) {
  const { orgId } = useOrganization();
  const navigate = useGoOn();
  const query = useQuery(method.getDatasetCatalog, { orgId, limit: maxEntries });
  const [chosen, setChosen] = useState<string>();
  const entries = query.data?.entries.filter(({ kind }) => kind === CatalogKind.BUILTIN) ?? [];
  const entry = entries.find(({ id }) => id === chosen) ?? entries[0];
  return (
    <DeedDialog
      title={texts.installTitle}
      text={texts.installText}
      deed={texts.confirmInstall}
      onClose={onClose}
      onDo={async (text) => {
        if (entry === undefined) throw query.error ?? new Error(texts.notListed);
        const { dataset } = await perform(method.installDataset, {
          orgId,
          catalogId: entry.id,
          acceptLicence: text("accept") === "on",
        });
        await navigate({ to: "/o/$org/datasets/$dataset", params: { org: orgId, dataset: dataset?.id ?? "" } });
      }}
    >
      <Answered query={query} rows={2}>
        {() =>
          entry && (
            <>
              <Select label={texts.entry} value={entry.id} onChange={({ target }) => setChosen(target.value)}>
                {entries.map(({ id, title, rows }) => (
                  <option key={id} value={id}>
                    {title} ({count(rows)})
                  </option>
                ))}
              </Select>
              {entry.trainedOn !== TrainedOn.NONE && <p>{texts.trainedWarning}</p>}
              {entry.notes !== "" && <p className={layout.small}>{entry.notes}</p>}
              <label className={layout.check}>
                <input type="checkbox" name="accept" required />
                {texts.accept(entry.licence?.spdx ?? "")}
              </label>
            </>
          )
        }
      </Answered>
    </DeedDialog>
  );
}

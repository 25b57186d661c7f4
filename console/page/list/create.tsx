import { useState } from "react";
import { ListService } from "../../../gen/policyguard/control/v1/list_service_pb.ts";
import { useOrganization } from "../../data/organization.ts";
import { perform } from "../../data/perform.ts";
import { useScopeOptions } from "../../data/scope.ts";
import { DeedDialog } from "../../part/deed-dialog.tsx";
import { everywhere, ScopeFields } from "../../part/edit/scope-fields.tsx";
import { TextArea, TextField } from "../../part/field.tsx";
import { linesOf } from "../../part/form.ts";
import { useGoOn } from "../../part/shown.ts";
import { en } from "../../text/en.ts";

const texts = en.lists;

/** Makes a list, and leads to it. */
export function CreateListDialog({ onClose }: { readonly onClose: () => void }) {
  const { orgId } = useOrganization();
  const navigate = useGoOn();
  const [scope, setScope] = useState(everywhere);
  const options = useScopeOptions(scope.appId);
  return (
    <DeedDialog
      title={texts.createTitle}
      deed={texts.confirmCreate}
      onClose={onClose}
      onDo={async (text) => {
        const description = text("description");
        const { list } = await perform(ListService.method.createList, {
          orgId,
          name: text("name"),
          ...(description === "" ? {} : { description }),
          scope,
          items: linesOf(text("items")),
        });
        if (list !== undefined) await navigate({ to: "/o/$org/lists/$list", params: { org: orgId, list: list.id } });
      }}
    >
      {(faultOf) => (
        <>
          <TextField
            label={texts.name}
            hint={texts.nameHint}
            name="name"
            autoComplete="off"
            spellCheck={false}
            required
            fault={faultOf("name")}
          />
          <TextField label={texts.description} name="description" maxLength={2000} />
          <ScopeFields value={scope} onChange={setScope} {...options} />
          <TextArea label={texts.items} hint={texts.itemsHint} name="items" rows={6} spellCheck={false} />
        </>
      )}
    </DeedDialog>
  );
}

import { EnvironmentService } from "../../../gen/policyguard/control/v1/environment_service_pb.ts";
import { useOrganization } from "../../data/organization.ts";
import { perform } from "../../data/perform.ts";
import { DeedDialog } from "../../part/deed-dialog.tsx";
import { TextField } from "../../part/field.tsx";
import layout from "../../part/layout/layout.module.css";
import { en } from "../../text/en.ts";

const texts = en.environment;

/** A new environment, at the end of the order. */
export function CreateEnvironmentDialog({
  projectId,
  onClose,
}: {
  readonly projectId: string;
  readonly onClose: () => void;
}) {
  const { orgId } = useOrganization();
  return (
    <DeedDialog
      title={texts.createTitle}
      text={texts.createText}
      deed={texts.confirmCreate}
      onClose={onClose}
      onDo={async (text) => {
        await perform(EnvironmentService.method.createEnvironment, {
          ...{ orgId, projectId, name: text("name").trim() },
          isProtected: text("protected") === "on",
        });
      }}
    >
      {(faultOf) => (
        <>
          <TextField
            label={texts.name}
            hint={texts.nameHint}
            fault={faultOf("name")}
            name="name"
            autoComplete="off"
            required
          />
          <label className={layout.check}>
            <input type="checkbox" name="protected" />
            {texts.protect}
          </label>
        </>
      )}
    </DeedDialog>
  );
}

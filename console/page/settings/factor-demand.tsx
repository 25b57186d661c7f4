import { useState } from "react";
import type { Organization } from "../../../gen/policyguard/control/v1/organization_pb.ts";
import { OrganizationService } from "../../../gen/policyguard/control/v1/organization_service_pb.ts";
import { useOrganization } from "../../data/organization.ts";
import { perform } from "../../data/perform.ts";
import { Badge } from "../../part/badge.tsx";
import { Button } from "../../part/button.tsx";
import { DeedDialog } from "../../part/deed-dialog.tsx";
import { Panel } from "../../part/panel.tsx";
import { en } from "../../text/en.ts";

const texts = en.settings.factor;
const { updateOrganization } = OrganizationService.method;

/** Whether the organization demands a second factor of everybody who signs in with a password. */
export function FactorDemand({ stored }: { readonly stored: Organization }) {
  const { can } = useOrganization();
  const [isAsking, setAsking] = useState(false);
  const isOn = stored.secondFactorRequired === true;
  const dialog = isOn ? texts.end : texts.begin;
  return (
    <Panel
      title={texts.title}
      text={texts.text}
      actions={can(updateOrganization) && <Button onClick={() => setAsking(true)}>{dialog.open}</Button>}
    >
      <p>
        <Badge tone={isOn ? "good" : "plain"}>{isOn ? texts.on : texts.off}</Badge>
      </p>
      {isAsking && (
        <DeedDialog
          title={dialog.title}
          text={dialog.text}
          deed={dialog.confirm}
          onClose={() => setAsking(false)}
          onDo={async () => {
            await perform(updateOrganization, { orgId: stored.id, secondFactorRequired: !isOn });
          }}
        />
      )}
    </Panel>
  );
}

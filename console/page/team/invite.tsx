import { useState } from "react";
import { TeamService } from "../../../gen/policyguard/control/v1/team_service_pb.ts";
import { useOrganization } from "../../data/organization.ts";
import { perform } from "../../data/perform.ts";
import { roleOfName } from "../../data/role.ts";
import { DeedDialog } from "../../part/deed-dialog.tsx";
import { TextField } from "../../part/field.tsx";
import { useShown } from "../../part/shown.ts";
import { ShownOnce } from "../../part/shown-once.tsx";
import { en } from "../../text/en.ts";
import { RoleSelect } from "./role-select.tsx";

const texts = en.team;

/** Invites a person. Without mail the link is shown once, to be passed on. */
export function InviteDialog({ onClose }: { readonly onClose: () => void }) {
  const { orgId } = useOrganization();
  const [role, setRole] = useState("editor");
  const [link, setLink] = useState<{ readonly url: string; readonly email: string }>();
  const isShown = useShown();
  if (link !== undefined) {
    return <ShownOnce title={texts.linkTitle} text={texts.linkText(link.email)} value={link.url} onClose={onClose} />;
  }
  return (
    <DeedDialog
      title={texts.inviteTitle}
      text={texts.inviteText}
      deed={texts.confirmInvite}
      staysOpen
      onClose={onClose}
      onDo={async (text) => {
        const invitation = { orgId, email: text("email"), role: roleOfName(role) };
        const { invitationLink } = await perform(TeamService.method.inviteMember, invitation);
        if (invitationLink !== undefined) setLink({ url: invitationLink, email: invitation.email });
        else if (isShown.current) onClose();
      }}
    >
      {(faultOf) => (
        <>
          <TextField
            label={texts.email}
            name="email"
            type="email"
            autoComplete="off"
            fault={faultOf("email")}
            required
          />
          <RoleSelect value={role} onChange={setRole} />
        </>
      )}
    </DeedDialog>
  );
}

import { useState } from "react";
import type { Member } from "../../../gen/policyguard/control/v1/team_pb.ts";
import { TeamService } from "../../../gen/policyguard/control/v1/team_service_pb.ts";
import { useOrganization } from "../../data/organization.ts";
import { perform } from "../../data/perform.ts";
import { roleName, roleOfName } from "../../data/role.ts";
import { DeedDialog } from "../../part/deed-dialog.tsx";
import { en } from "../../text/en.ts";
import type { Deed } from "./deed.ts";
import { RoleSelect } from "./role-select.tsx";

const texts = en.team;
const { method } = TeamService;

interface DialogProps {
  readonly member: Member;
  readonly onClose: () => void;
}

/** The dialog of one deed. */
export function MemberDialog({ deed, ...props }: DialogProps & { readonly deed: Deed }) {
  if (deed === "changeRole") return <ChangeRole {...props} />;
  if (deed === "leave") return <Leave {...props} />;
  return <Plain deed={deed} {...props} />;
}

function ChangeRole({ member, onClose }: DialogProps) {
  const [role, setRole] = useState(roleName(member.role));
  return (
    <DeedDialog
      title={texts.changeTitle(member.name ?? member.email)}
      text={roleOfName(role) < member.role ? texts.lowerText : undefined}
      deed={texts.confirmChange}
      onClose={onClose}
      onDo={async () => {
        await perform(method.updateMember, { orgId: member.orgId, memberId: member.id, role: roleOfName(role) });
      }}
    >
      <RoleSelect value={role} onChange={setRole} />
    </DeedDialog>
  );
}

/** Whoever leaves sees nothing of the organization any more, so the page begins anew. */
function Leave({ member, onClose }: DialogProps) {
  const { name } = useOrganization();
  return (
    <DeedDialog
      title={texts.leaveTitle(name)}
      text={texts.leaveText}
      deed={texts.confirmLeave}
      isGrave
      onClose={onClose}
      onDo={async () => {
        await perform(method.leaveOrganization, { orgId: member.orgId });
        location.assign("/");
      }}
    />
  );
}

interface Place {
  readonly orgId: string;
  readonly memberId: string;
}

const remove = (place: Place): Promise<unknown> => perform(method.removeMember, place);

const plain = {
  remove: { title: texts.removeTitle, text: texts.removeText, deed: texts.confirmRemove, call: remove },
  deactivate: {
    title: texts.deactivateTitle,
    text: texts.deactivateText,
    deed: texts.confirmDeactivate,
    call: remove,
  },
  withdraw: {
    title: texts.withdrawTitle,
    text: texts.withdrawText,
    deed: texts.confirmWithdraw,
    call: remove,
  },
  dropFactor: {
    title: texts.dropTitle,
    text: texts.dropText,
    deed: texts.confirmDrop,
    call: (place: Place): Promise<unknown> => perform(method.disableMemberMfa, place),
  },
  transfer: {
    title: texts.transferTitle,
    text: texts.transferText,
    deed: texts.confirmTransfer,
    call: (place: Place): Promise<unknown> => perform(method.transferOwnership, place),
  },
} as const;

function Plain({ deed, member, onClose }: DialogProps & { readonly deed: keyof typeof plain }) {
  const { title, text, deed: button, call } = plain[deed];
  return (
    <DeedDialog
      title={title(member.name ?? member.email)}
      text={text}
      deed={button}
      isGrave
      onClose={onClose}
      onDo={async () => {
        await call({ orgId: member.orgId, memberId: member.id });
      }}
    />
  );
}

import { useState } from "react";
import type { Token } from "../../../gen/policyguard/control/v1/token_pb.ts";
import { TokenService } from "../../../gen/policyguard/control/v1/token_service_pb.ts";
import { perform } from "../../data/perform.ts";
import { DeedDialog } from "../../part/deed-dialog.tsx";
import { Select } from "../../part/field.tsx";
import { ShownOnce } from "../../part/shown-once.tsx";
import { en } from "../../text/en.ts";

const texts = en.tokens;
const hourSeconds = 3_600;
const overlaps = [0, 1, 24, 168] as const;
const usualOverlap = 24;

/** Gives a token a new value, which is shown once. The old one goes on for as long as the person says. */
export function RotateTokenDialog({
  token: { id, name, orgId },
  onClose,
}: {
  readonly token: Token;
  readonly onClose: () => void;
}) {
  const [value, setValue] = useState<string>();
  if (value !== undefined)
    return (
      <ShownOnce
        title={texts.onceTitle}
        text={texts.onceText}
        value={value}
        variable="POLICY_GUARD_TOKEN"
        onClose={onClose}
      />
    );
  return (
    <DeedDialog
      title={texts.rotateTitle(name)}
      text={texts.rotateText}
      deed={texts.confirmRotate}
      staysOpen
      onClose={onClose}
      onDo={async (text) => {
        const request = { orgId, tokenId: id, overlapSeconds: Number(text("overlap")) * hourSeconds };
        setValue((await perform(TokenService.method.rotateToken, request)).token);
      }}
    >
      <Select label={texts.overlap} name="overlap" defaultValue={usualOverlap}>
        {overlaps.map((hours) => (
          <option key={hours} value={hours}>
            {texts.overlaps(hours)}
          </option>
        ))}
      </Select>
    </DeedDialog>
  );
}

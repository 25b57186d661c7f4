import { useState } from "react";
import {
  AccountService,
  type EnrolMfaResponse,
  type GetMeResponse,
} from "../../../gen/policyguard/control/v1/account_service_pb.ts";
import { failureOf } from "../../data/failure.ts";
import { perform } from "../../data/perform.ts";
import { Badge } from "../../part/badge.tsx";
import { Button } from "../../part/button.tsx";
import { DeedDialog } from "../../part/deed-dialog.tsx";
import { TextField } from "../../part/field.tsx";
import { Panel } from "../../part/panel.tsx";
import { ShownOnce } from "../../part/shown-once.tsx";
import { en } from "../../text/en.ts";
import style from "./account.module.css";

const texts = en.account;

/** The second factor: set up with an authenticator app; with one of its codes turned off, or its recovery codes renewed. */
export function SecondFactorPanel({ me }: { readonly me: GetMeResponse }) {
  const isOn = me.account?.mfaEnabled ?? false;
  const [dialog, setDialog] = useState<"on" | "off" | "renew">();
  const [codes, setCodes] = useState<readonly string[]>();
  const close = () => setDialog(undefined);
  return (
    <Panel
      title={texts.factor}
      text={isOn ? texts.factorOn : texts.factorOff}
      actions={
        <>
          {isOn && <Button onClick={() => setDialog("renew")}>{texts.renew}</Button>}
          <Button onClick={() => setDialog(isOn ? "off" : "on")}>{isOn ? texts.turnOff : texts.setUp}</Button>
        </>
      }
    >
      <p>
        <Badge tone={isOn ? "good" : "plain"}>{isOn ? en.team.on : en.team.off}</Badge>
      </p>
      {dialog === "on" && <SetUp onCodes={setCodes} onClose={close} />}
      {dialog === "off" && <TurnOff me={me} onClose={close} />}
      {dialog === "renew" && <Renew onCodes={setCodes} onClose={close} />}
      {codes !== undefined && (
        <ShownOnce
          title={texts.codesTitle}
          text={texts.codesText}
          value={codes.join("\n")}
          file="policy-guard-recovery-codes.txt"
          onClose={() => setCodes(undefined)}
        />
      )}
    </Panel>
  );
}

/** Asks for the password where the session is not fresh, shows the key, and takes the first code. */
function SetUp({
  onCodes,
  onClose,
}: {
  readonly onCodes: (codes: readonly string[]) => void;
  readonly onClose: () => void;
}) {
  const [key, setKey] = useState<EnrolMfaResponse>();
  const [password, setPassword] = useState<string>();
  const [needsPassword, setNeedsPassword] = useState(false);
  const begin = async (text: (name: string) => string) => {
    const given = needsPassword ? { password: text("password") } : {};
    try {
      setKey(await perform(AccountService.method.enrolMfa, given));
      setPassword(given.password);
    } catch (error) {
      if (failureOf(error).code !== "step_up_required") throw error;
      setNeedsPassword(true);
    }
  };
  if (key === undefined) {
    return (
      <DeedDialog
        title={texts.setUpTitle}
        deed={texts.next1}
        text={needsPassword ? texts.againText : texts.factorOff}
        onClose={onClose}
        staysOpen
        onDo={begin}
      >
        {needsPassword && (
          <TextField label={texts.again} name="password" type="password" autoComplete="current-password" required />
        )}
      </DeedDialog>
    );
  }
  return (
    <DeedDialog
      key="code"
      title={texts.setUpTitle}
      text={texts.scan}
      deed={texts.confirmFactor}
      onClose={onClose}
      onDo={async (text) => {
        const proof = password === undefined ? {} : { password };
        const { recoveryCodes } = await perform(AccountService.method.confirmMfa, { code: text("code"), ...proof });
        onCodes(recoveryCodes);
      }}
    >
      {(faultOf) => (
        <>
          <img className={style.qr} src={`data:image/svg+xml,${encodeURIComponent(key.qrSvg)}`} alt={texts.qr} />
          <p>
            {texts.secret}: <code className={style.secret}>{key.secret}</code>
          </p>
          <TextField
            label={texts.code}
            name="code"
            inputMode="numeric"
            autoComplete="one-time-code"
            fault={faultOf("code")}
            required
          />
        </>
      )}
    </DeedDialog>
  );
}

function TurnOff({ me, onClose }: { readonly me: GetMeResponse; readonly onClose: () => void }) {
  const demanding = me.organizations.filter(({ secondFactorRequired }) => secondFactorRequired);
  const names = demanding.map(({ orgName }) => orgName).join(", ");
  return (
    <DeedDialog
      title={texts.turnOffTitle}
      text={demanding.length > 0 ? `${texts.turnOffDemanded(names)} ${texts.turnOffText}` : texts.turnOffText}
      deed={texts.confirmOff}
      isGrave
      onClose={onClose}
      onDo={async (text) => {
        await perform(AccountService.method.disableMfa, { code: text("code") });
      }}
    >
      {(faultOf) => <ProofField fault={faultOf("code")} />}
    </DeedDialog>
  );
}

function Renew({
  onCodes,
  onClose,
}: {
  readonly onCodes: (codes: readonly string[]) => void;
  readonly onClose: () => void;
}) {
  return (
    <DeedDialog
      title={texts.renewTitle}
      text={texts.renewText}
      deed={texts.confirmRenew}
      onClose={onClose}
      onDo={async (text) => {
        onCodes((await perform(AccountService.method.renewRecoveryCodes, { code: text("code") })).recoveryCodes);
      }}
    >
      {(faultOf) => <ProofField fault={faultOf("code")} />}
    </DeedDialog>
  );
}

/** A code that proves who asks. */
function ProofField({ fault }: { readonly fault: string | undefined }) {
  return (
    <TextField
      label={en.signIn.code}
      name="code"
      autoComplete="one-time-code"
      fault={fault}
      hint={en.signIn.codeHint}
      required
    />
  );
}

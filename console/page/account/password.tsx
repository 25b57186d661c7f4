import { useState } from "react";
import { AccountService } from "../../../gen/policyguard/control/v1/account_service_pb.ts";
import { perform } from "../../data/perform.ts";
import { Button } from "../../part/button.tsx";
import { DeedDialog } from "../../part/deed-dialog.tsx";
import { TextField } from "../../part/field.tsx";
import { Panel } from "../../part/panel.tsx";
import { en } from "../../text/en.ts";

const texts = en.account;

/** The password and its change. */
export function PasswordPanel() {
  const [state, setState] = useState<"shown" | "changing" | "changed">("shown");
  return (
    <Panel
      title={texts.password}
      text={texts.passwordText}
      actions={<Button onClick={() => setState("changing")}>{texts.change}</Button>}
    >
      {state === "changed" && <p role="status">{texts.changed}</p>}
      {state === "changing" && (
        <DeedDialog
          title={texts.changeTitle}
          deed={texts.confirmChange}
          onClose={() => setState((now) => (now === "changing" ? "shown" : now))}
          onDo={async (text) => {
            const passwords = { currentPassword: text("current"), newPassword: text("next") };
            await perform(AccountService.method.changePassword, passwords);
            setState("changed");
          }}
        >
          {(faultOf) => (
            <>
              <TextField
                label={texts.current}
                name="current"
                type="password"
                autoComplete="current-password"
                fault={faultOf("current_password")}
                required
              />
              <TextField
                label={texts.next}
                hint={texts.nextHint}
                name="next"
                type="password"
                autoComplete="new-password"
                fault={faultOf("new_password")}
                required
              />
            </>
          )}
        </DeedDialog>
      )}
    </Panel>
  );
}

import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { AccountService, type GetMeResponse } from "../../../gen/policyguard/control/v1/account_service_pb.ts";
import { perform } from "../../data/perform.ts";
import { roleName } from "../../data/role.ts";
import { Ago } from "../../part/ago.tsx";
import { Badge } from "../../part/badge.tsx";
import { Button } from "../../part/button.tsx";
import { DeedDialog } from "../../part/deed-dialog.tsx";
import { Facts } from "../../part/facts.tsx";
import { TextField } from "../../part/field.tsx";
import { Panel } from "../../part/panel.tsx";
import { en } from "../../text/en.ts";
import style from "./account.module.css";

const texts = en.account;

/** Who the person is, and the change of their name. */
export function ProfilePanel({ me: { account, organizations } }: { readonly me: GetMeResponse }) {
  const [isRenaming, setRenaming] = useState(false);
  return (
    <Panel title={texts.profile} actions={<Button onClick={() => setRenaming(true)}>{texts.rename}</Button>}>
      <Facts
        facts={[
          [texts.name, account?.name],
          [
            texts.email,
            <>
              {account?.email}{" "}
              <Badge tone={account?.emailVerified === true ? "good" : "plain"}>
                {account?.emailVerified === true ? texts.proven : texts.unproven}
              </Badge>
            </>,
          ],
          [texts.since, <Ago key="since" time={account?.createdAt} />],
          [
            texts.organizations,
            <ul key="organizations">
              {organizations.map(({ orgId, orgName, role }) => (
                <li key={orgId} className={style.organization}>
                  <Link to="/o/$org" params={{ org: orgId }}>
                    {orgName}
                  </Link>
                  <Badge>{en.roles.names[roleName(role)]}</Badge>
                </li>
              ))}
            </ul>,
          ],
        ]}
      />
      {isRenaming && (
        <DeedDialog
          title={texts.renameTitle}
          text={texts.renameText}
          deed={texts.confirmRename}
          onClose={() => setRenaming(false)}
          onDo={async (text) => {
            await perform(AccountService.method.updateAccount, { name: text("name") });
          }}
        >
          {(faultOf) => (
            <TextField
              label={texts.name}
              name="name"
              autoComplete="name"
              defaultValue={account?.name}
              fault={faultOf("name")}
              required
            />
          )}
        </DeedDialog>
      )}
    </Panel>
  );
}

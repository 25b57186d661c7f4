import { createClient } from "@connectrpc/connect";
import { Link, useNavigate } from "@tanstack/react-router";
import { AccountService } from "../../../gen/policyguard/control/v1/account_service_pb.ts";
import { enterAs } from "../../data/enter.ts";
import { fragmentValue } from "../../data/fragment.ts";
import { setSession, transport } from "../../data/transport.ts";
import { Empty } from "../../part/state.tsx";
import { en } from "../../text/en.ts";
import { EntryCard } from "./card.tsx";
import { EntryForm } from "./entry-form.tsx";

const texts = en.entry.confirm;
const accounts = createClient(AccountService, transport);

/** Where the mailed link of a registration leads. A click confirms, since mail scanners open links as well. */
export function ConfirmPage() {
  const token = fragmentValue("token");
  const navigate = useNavigate();
  const confirm = async () => {
    setSession(undefined);
    const { orgId } = await accounts.confirmEmail({ token: token ?? "", asCookie: true });
    await enterAs();
    await navigate(orgId === undefined ? { to: "/welcome" } : { to: "/o/$org", params: { org: orgId } });
  };
  return (
    <EntryCard title={texts.title} links={<Link to="/sign-in">{en.entry.links.signIn}</Link>}>
      {token === undefined ? (
        <Empty title={texts.missing} text={texts.missingText} />
      ) : (
        <>
          <p>{texts.text}</p>
          <EntryForm submit={texts.submit} onSubmit={confirm} />
        </>
      )}
    </EntryCard>
  );
}

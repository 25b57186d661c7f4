import { createClient } from "@connectrpc/connect";
import { useQuery as useRpc } from "@connectrpc/connect-query";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import {
  type AcceptInvitationResponse,
  AccountService,
  type LookUpInvitationResponse,
} from "../../../gen/policyguard/control/v1/account_service_pb.ts";
import { enterAs } from "../../data/enter.ts";
import { failureOf } from "../../data/failure.ts";
import { fragmentValue } from "../../data/fragment.ts";
import { roleName } from "../../data/role.ts";
import { meQuery } from "../../data/session.ts";
import { setSession, transport } from "../../data/transport.ts";
import { TextField } from "../../part/field.tsx";
import { Empty, Failed, Loading } from "../../part/state.tsx";
import { en } from "../../text/en.ts";
import { EntryCard } from "./card.tsx";
import { EntryForm } from "./entry-form.tsx";
import { SignInForm } from "./sign-in-form.tsx";

const texts = en.entry.accept;
const accounts = createClient(AccountService, transport);

/** Where the link of an invitation leads. */
export function AcceptPage() {
  const token = fragmentValue("token");
  const { data, error, refetch } = useRpc(
    AccountService.method.lookUpInvitation,
    { token: token ?? "" },
    { enabled: token !== undefined, retry: false },
  );
  return (
    <EntryCard
      title={data === undefined ? texts.loading : texts.title(data.orgName)}
      links={<Link to="/sign-in">{en.entry.links.signIn}</Link>}
    >
      {token === undefined && <Empty title={en.entry.confirm.missing} text={en.entry.confirm.missingText} />}
      {error !== null && <Failed error={error} onRetry={refetch} />}
      {token !== undefined && data === undefined && error === null && <Loading rows={4} />}
      {token !== undefined && data !== undefined && <Offer token={token} offer={data} />}
    </EntryCard>
  );
}

function Offer({ token, offer }: { readonly token: string; readonly offer: LookUpInvitationResponse }) {
  const navigate = useNavigate();
  // Whoever is signed in already joins with a click. That somebody is not is no news here.
  const me = useQuery({ ...meQuery, retry: false });
  const enter = async ({ membership }: AcceptInvitationResponse) => {
    await enterAs();
    await navigate({ to: "/o/$org", params: { org: membership?.orgId ?? "" } });
  };
  const account = me.data?.account;
  if (me.error !== null && failureOf(me.error).kind !== "signed_out")
    return <Failed error={me.error} onRetry={me.refetch} />;
  const join = async () => enter(await accounts.acceptInvitation({ token }));
  return (
    <>
      <p>
        {texts.text(offer.invitedBy, en.roles.names[roleName(offer.role)] ?? "")} {texts.until(offer.expiresAt)}
      </p>
      {me.isPending && <Loading rows={2} />}
      {!me.isPending && account !== undefined && account.email !== offer.email && (
        <p>{texts.somebodyElse(offer.email, account.email)}</p>
      )}
      {!me.isPending && account?.email === offer.email && <EntryForm submit={texts.submit} onSubmit={join} />}
      {!me.isPending && account?.email !== offer.email && offer.hasAccount && (
        <>
          <p>{texts.signInFirst(offer.email)}</p>
          <SignInForm
            email={offer.email}
            onSignedIn={async () => {
              await enterAs();
              await join();
            }}
          />
        </>
      )}
      {!me.isPending && !offer.hasAccount && <NewAccount token={token} email={offer.email} onJoined={enter} />}
    </>
  );
}

function NewAccount({
  token,
  email,
  onJoined,
}: {
  readonly token: string;
  readonly email: string;
  readonly onJoined: (answer: AcceptInvitationResponse) => Promise<void>;
}) {
  const create = async (text: (name: string) => string) => {
    setSession(undefined);
    const person = { name: text("name"), password: text("password") };
    await onJoined(await accounts.acceptInvitation({ token, ...person, asCookie: true }));
  };
  return (
    <EntryForm submit={texts.create} onSubmit={create}>
      {(faultOf) => (
        <>
          <TextField label={en.signIn.email} name="email" autoComplete="username" value={email} readOnly />
          <TextField label={en.entry.signUp.name} name="name" autoComplete="name" fault={faultOf("name")} required />
          <TextField
            label={en.entry.signUp.password}
            hint={en.entry.signUp.passwordHint}
            fault={faultOf("password")}
            name="password"
            type="password"
            autoComplete="new-password"
            required
          />
        </>
      )}
    </EntryForm>
  );
}

import { useQuery } from "@connectrpc/connect-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import {
  type KeyHolder,
  KeyHolderSchema,
  KeyState,
  KeyStateSchema,
  KeyUse,
  type ManagedKey,
} from "../../../gen/policyguard/control/v1/signing_key_pb.ts";
import { SigningKeyService } from "../../../gen/policyguard/control/v1/signing_key_service_pb.ts";
import { useOrganization } from "../../data/organization.ts";
import { perform } from "../../data/perform.ts";
import { wireNames } from "../../data/wire-name.ts";
import { Ago } from "../../part/ago.tsx";
import { Badge } from "../../part/badge.tsx";
import { Button } from "../../part/button.tsx";
import { DeedDialog } from "../../part/deed-dialog.tsx";
import layout from "../../part/layout/layout.module.css";
import { Page } from "../../part/page.tsx";
import { Pager } from "../../part/pager.tsx";
import { Panel } from "../../part/panel.tsx";
import { Answered } from "../../part/state.tsx";
import { Table } from "../../part/table.tsx";
import { en } from "../../text/en.ts";

const texts = en.signingKeys;
const { method } = SigningKeyService;
const pageSize = 50;
/** Ids are digests, so their beginning tells keys apart. */
const shownOfKid = 12;

const keyStates = wireNames<KeyState>(KeyStateSchema);
const holders = wireNames<KeyHolder>(KeyHolderSchema);
const tones = new Map<KeyState, "good" | "notice" | "bad">([
  [KeyState.ACTIVE, "good"],
  [KeyState.RETIRING, "notice"],
  [KeyState.REVOKED, "bad"],
]);

/** The keys that sign the organization's bundles and those of its log: a new one, and the end of an old one. */
export function SigningKeysPage() {
  return (
    <Page title={texts.title}>
      <KeysOf use={KeyUse.BUNDLE} title={texts.bundles} text={texts.bundlesText} empty={texts.noBundleKey} />
      <KeysOf use={KeyUse.LOG} title={texts.log} text={texts.logText} empty={texts.noLogKey} />
    </Page>
  );
}

function KeysOf({
  use,
  title,
  text,
  empty,
}: {
  readonly use: KeyUse;
  readonly title: string;
  readonly text: string;
  readonly empty: string;
}) {
  const { orgId, can } = useOrganization();
  const [offset, setOffset] = useState(0);
  const [dialog, setDialog] = useState<"rotate" | ManagedKey>();
  const query = useQuery(method.listManagedKeys, { orgId, use, limit: pageSize, offset });
  const close = () => setDialog(undefined);
  const hasKeys = (query.data?.total ?? 0) > 0;
  return (
    <Panel
      title={title}
      text={text}
      actions={
        can(method.rotateSigningKey) && hasKeys && <Button onClick={() => setDialog("rotate")}>{texts.rotate}</Button>
      }
    >
      <Answered query={query} rows={2}>
        {({ signingKeys, total }) => (
          <>
            {total === 0 && <p className={layout.dim}>{empty}</p>}
            {total > 0 && <Keys label={title} keys={signingKeys} onRevoke={setDialog} />}
            <Pager offset={offset} size={pageSize} total={total} onMove={setOffset} />
          </>
        )}
      </Answered>
      {dialog === "rotate" && (
        <DeedDialog
          title={texts.rotateTitle}
          text={use === KeyUse.LOG ? texts.rotateLogText : texts.rotateText}
          deed={texts.confirmRotate}
          onClose={close}
          onDo={async () => {
            await perform(method.rotateSigningKey, { orgId, use });
          }}
        />
      )}
      {dialog !== undefined && dialog !== "rotate" && <RevokeDialog signingKey={dialog} onClose={close} />}
    </Panel>
  );
}

function Keys({
  label,
  keys,
  onRevoke,
}: {
  readonly label: string;
  readonly keys: readonly ManagedKey[];
  readonly onRevoke: (key: ManagedKey) => void;
}) {
  const { can } = useOrganization();
  return (
    <Table
      label={label}
      rows={keys}
      keyOf={({ kid }) => kid}
      columns={[
        { title: texts.key, cell: ({ kid }) => <code title={kid}>{kid.slice(0, shownOfKid)}…</code> },
        { title: texts.state, phone: "end", cell: ({ state }) => <State state={state} /> },
        { title: texts.holder, phone: "below", cell: ({ holder }) => texts.holders[holders.nameOf(holder)] },
        { title: texts.created, phone: "named", isNumber: true, cell: ({ createdAt }) => <Ago time={createdAt} /> },
        { title: texts.replaced, phone: "named", isNumber: true, cell: ({ retiringAt }) => <Ago time={retiringAt} /> },
        { title: texts.revoked, phone: "named", isNumber: true, cell: ({ revokedAt }) => <Ago time={revokedAt} /> },
        {
          title: "",
          phone: "deeds",
          isNumber: true,
          cell: (key) =>
            can(method.revokeSigningKey) &&
            key.state !== KeyState.REVOKED && (
              <Button kind="quiet" aria-label={texts.revokeOf(key.kid)} onClick={() => onRevoke(key)}>
                {texts.revoke}
              </Button>
            ),
        },
      ]}
    />
  );
}

function State({ state }: { readonly state: KeyState }) {
  const name = keyStates.nameOf(state);
  return (
    <Badge tone={tones.get(state) ?? "plain"} title={texts.stateHints[name] ?? ""}>
      {texts.states[name] ?? name}
    </Badge>
  );
}

/** Nothing undoes this, so the beginning of the key has to be typed. */
function RevokeDialog({
  signingKey: { kid, state, use },
  onClose,
}: {
  readonly signingKey: ManagedKey;
  readonly onClose: () => void;
}) {
  const { orgId } = useOrganization();
  const isActive = state === KeyState.ACTIVE;
  return (
    <DeedDialog
      title={texts.revokeTitle(`${kid.slice(0, shownOfKid)}…`)}
      text={use === KeyUse.LOG ? texts.revokeLogText : texts.revokeText}
      deed={texts.confirmRevoke}
      typed={kid.slice(0, shownOfKid)}
      isGrave
      onClose={onClose}
      onDo={async () => {
        await perform(method.revokeSigningKey, { orgId, kid });
      }}
    >
      {isActive && use === KeyUse.LOG && <p>{texts.revokeActiveLog}</p>}
      {isActive && use !== KeyUse.LOG && (
        <p>
          {texts.revokeActive}{" "}
          <Link to="/o/$org/fleet" params={{ org: orgId }}>
            {texts.fleet}
          </Link>
        </p>
      )}
    </DeedDialog>
  );
}

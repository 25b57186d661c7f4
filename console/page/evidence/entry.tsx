import { toJson } from "@bufbuild/protobuf";
import { type Value, ValueSchema } from "@bufbuild/protobuf/wkt";
import { useQuery } from "@connectrpc/connect-query";
import { Link, useParams } from "@tanstack/react-router";
import type { EvidenceEntry } from "../../../gen/policyguard/control/v1/evidence_pb.ts";
import { EvidenceService } from "../../../gen/policyguard/control/v1/evidence_service_pb.ts";
import { useOrganization } from "../../data/organization.ts";
import { saveFile } from "../../data/rest.ts";
import { DiffView } from "../../editor/diff-view.tsx";
import { useBusy } from "../../part/busy.ts";
import { Button } from "../../part/button.tsx";
import { Facts } from "../../part/facts.tsx";
import layout from "../../part/layout/layout.module.css";
import { LinkButton } from "../../part/link-button.tsx";
import { Page } from "../../part/page.tsx";
import { Panel } from "../../part/panel.tsx";
import { Answered, Empty, Failed, Refused } from "../../part/state.tsx";
import { en } from "../../text/en.ts";
import { absolute } from "../../text/format.ts";
import style from "./evidence.module.css";

const texts = en.evidence;
const { method } = EvidenceService;

/** One entry: who changed what, from what to what, and the proof that it is in the log. */
export function EvidenceEntryPage() {
  const { orgId, can } = useOrganization();
  const { seq: text } = useParams({ from: "/o/$org/settings/evidence/$seq" });
  const seq = Number(text);
  const isNumber = Number.isInteger(seq) && seq >= 0 && seq < 2 ** 32;
  const isAllowed = can(method.getEvidence);
  const query = useQuery(method.getEvidence, { orgId, seq: isNumber ? seq : 0 }, { enabled: isNumber && isAllowed });
  return (
    <Page
      title={texts.entry(isNumber ? seq : 0)}
      note={
        <Link to="/o/$org/settings/evidence" params={{ org: orgId }}>
          {texts.title}
        </Link>
      }
      actions={isNumber && <Neighbours seq={seq} />}
    >
      {!isNumber && <Empty title={en.failure.gone} />}
      {isNumber && !isAllowed && <Refused needed="admin" />}
      {isNumber && isAllowed && (
        <Answered query={query}>{({ entry }) => entry && <Entry key={seq} entry={entry} />}</Answered>
      )}
    </Page>
  );
}

function Neighbours({ seq }: { readonly seq: number }) {
  const { orgId } = useOrganization();
  const to = (other: number) => ({
    ...{ to: "/o/$org/settings/evidence/$seq" as const, kind: "plain" as const },
    params: { org: orgId, seq: String(other) },
  });
  return (
    <>
      {seq > 0 && <LinkButton {...to(seq - 1)}>{texts.previous}</LinkButton>}
      <LinkButton {...to(seq + 1)}>{texts.next}</LinkButton>
    </>
  );
}

function Entry({ entry }: { readonly entry: EvidenceEntry }) {
  const { seq, action, actor, address, resource, requestId, createdAt, leafHash, digestOnly } = entry;
  const { orgId } = useOrganization();
  const before = textOf(entry.before);
  const after = textOf(entry.after);
  return (
    <>
      <Panel title={action}>
        <Facts
          facts={[
            [texts.when, absolute(createdAt)],
            [texts.actor, actor ?? texts.erased],
            ...(address === "" ? [] : ([[texts.address, address ?? texts.erased]] as const)),
            [
              texts.resource,
              <Link
                key="resource"
                to="/o/$org/settings/evidence"
                params={{ org: orgId }}
                search={{ resource }}
                title={texts.all}
              >
                <code>{resource}</code>
              </Link>,
            ],
            ...(requestId === "" ? [] : ([[texts.request, <code key="request">{requestId}</code>]] as const)),
            [
              texts.leaf,
              <code key="leaf" className={style.hash}>
                {leafHash}
              </code>,
            ],
          ]}
        />
      </Panel>
      <Panel title={texts.what}>
        {digestOnly.length > 0 && <p className={layout.dim}>{texts.digestOnly}</p>}
        {before === undefined && after === undefined && <p className={layout.dim}>{texts.nothing}</p>}
        {before !== undefined && before === after && <p className={layout.dim}>{texts.sameValue}</p>}
        {(before === undefined) !== (after === undefined) && (
          <>
            <h3>{before === undefined ? texts.after : texts.before}</h3>
            <pre className={style.code}>{before ?? after}</pre>
          </>
        )}
        {before !== undefined && after !== undefined && before !== after && (
          <DiffView before={before} after={after} label={texts.what} />
        )}
      </Panel>
      <Proof seq={seq} />
    </>
  );
}

/** A value as people read it; undefined where there is none. */
function textOf(value: Value | undefined): string | undefined {
  const json = value === undefined ? null : toJson(ValueSchema, value);
  return json === null ? undefined : JSON.stringify(json, null, 2);
}

/** The proof is of the newest checkpoint; an entry of the last minute has none. */
function Proof({ seq }: { readonly seq: number }) {
  const { orgId } = useOrganization();
  const { run, isBusy, error } = useBusy();
  const checkpoints = useQuery(method.listEvidenceCheckpoints, { orgId, limit: 1 });
  const size = checkpoints.data?.checkpoints[0]?.treeSize ?? 0;
  const save = () =>
    run(() => saveFile(`/v1/orgs/${orgId}/evidence/${seq}/proof?format=tlog-proof`, `${seq}.tlog-proof`));
  return (
    <Panel
      title={texts.proof}
      text={texts.proofText}
      actions={
        <Button disabled={isBusy} why={seq < size ? undefined : texts.notSigned} onClick={save}>
          {texts.saveProof}
        </Button>
      }
    >
      {error !== undefined && <Failed error={error} />}
      <pre className={style.code}>{`policy-guard evidence verify ${seq}.tlog-proof --key log-keys.txt`}</pre>
    </Panel>
  );
}

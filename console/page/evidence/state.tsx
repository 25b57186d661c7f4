import { timestampDate } from "@bufbuild/protobuf/wkt";
import { useQuery } from "@connectrpc/connect-query";
import { useState } from "react";
import type { ListEvidenceCheckpointsResponse } from "../../../gen/policyguard/control/v1/evidence_service_pb.ts";
import { EvidenceService } from "../../../gen/policyguard/control/v1/evidence_service_pb.ts";
import { useOrganization } from "../../data/organization.ts";
import { saveBlob } from "../../data/save.ts";
import { Ago } from "../../part/ago.tsx";
import { Button } from "../../part/button.tsx";
import { Facts } from "../../part/facts.tsx";
import layout from "../../part/layout/layout.module.css";
import { Pager } from "../../part/pager.tsx";
import { Panel } from "../../part/panel.tsx";
import { Answered } from "../../part/state.tsx";
import { Table } from "../../part/table.tsx";
import { en } from "../../text/en.ts";
import { count } from "../../text/format.ts";
import style from "./evidence.module.css";

const texts = en.evidence;
const { method } = EvidenceService;
const pageSize = 10;
const shownOfHash = 16;
const minuteMs = 60_000;
/** Minutes after an entry by which a checkpoint has it, with room for a busy worker. */
const lateMinutes = 10;

/** How far the log is signed, and by which keys. */
export function LogState({ state }: { readonly state: ListEvidenceCheckpointsResponse }) {
  const { checkpoints, origin, verifierKeys, checkedAt, epochs } = state;
  const [isOpen, setOpen] = useState(false);
  const [newest] = checkpoints;
  if (newest === undefined)
    return (
      <Panel title={texts.state} text={texts.stateText}>
        <p className={layout.dim}>{texts.noCheckpoint}</p>
      </Panel>
    );
  const saveNote = () => saveBlob(new Blob([newest.note], { type: "text/plain" }), `checkpoint-${newest.treeSize}.txt`);
  const saveKeys = () => saveBlob(new Blob([`${verifierKeys.join("\n")}\n`], { type: "text/plain" }), "log-keys.txt");
  return (
    <Panel
      title={texts.state}
      text={texts.stateText}
      actions={
        <>
          <Button onClick={saveNote}>{texts.saveCheckpoint}</Button>
          <Button onClick={saveKeys}>{texts.saveKeys}</Button>
        </>
      }
    >
      <dl className={layout.figures}>
        <div>
          <dt>{texts.entries}</dt>
          <dd className={layout.figure}>{count(newest.treeSize)}</dd>
        </div>
        <div>
          <dt>{texts.newest}</dt>
          <dd className={layout.figure}>
            <Ago time={newest.createdAt} />
          </dd>
        </div>
        <div>
          <dt>{texts.checked}</dt>
          <dd className={layout.figure}>
            <Ago time={checkedAt} />
          </dd>
        </div>
      </dl>
      <Late newest={newest} />
      <Facts
        facts={[
          [texts.origin, <code key="origin">{origin}</code>],
          [
            texts.root,
            <code key="root" className={style.hash}>
              {newest.rootHash}
            </code>,
          ],
        ]}
      />
      <Epochs epochs={epochs} />
      {isOpen ? (
        <Checkpoints />
      ) : (
        <div>
          <Button onClick={() => setOpen(true)}>{texts.showCheckpoints}</Button>
        </div>
      )}
    </Panel>
  );
}

/** Stretches of the log that began after a restore: entries of before may be lost, and an operator said why. */
function Epochs({ epochs }: Pick<ListEvidenceCheckpointsResponse, "epochs">) {
  if (epochs.length === 0) return null;
  return (
    <>
      <h3>{texts.epochs}</h3>
      <ul>
        {epochs.map(({ epoch, treeSize, reason, beganAt }) => (
          <li key={epoch}>
            {texts.epoch(epoch, treeSize)} · <Ago time={beganAt} /> · {reason}
          </li>
        ))}
      </ul>
    </>
  );
}

/** Says that entries wait for their signature longer than they should. */
function Late({ newest }: { readonly newest: ListEvidenceCheckpointsResponse["checkpoints"][number] }) {
  const { orgId, can } = useOrganization();
  const { data } = useQuery(method.listEvidence, { orgId, limit: 1 }, { enabled: can(method.listEvidence) });
  const last = data?.evidence[0];
  if (last?.createdAt === undefined || last.seq < newest.treeSize) return null;
  const isLate = Date.now() - timestampDate(last.createdAt).getTime() > lateMinutes * minuteMs;
  return isLate ? <p className={style.stale}>{texts.stale}</p> : null;
}

/** All checkpoints, each of which somebody may have kept. */
function Checkpoints() {
  const { orgId } = useOrganization();
  const [offset, setOffset] = useState(0);
  const query = useQuery(method.listEvidenceCheckpoints, { orgId, limit: pageSize, offset });
  return (
    <Answered query={query} rows={3}>
      {({ checkpoints, total }) => (
        <>
          <Table
            label={texts.checkpoints}
            rows={checkpoints}
            keyOf={({ treeSize }) => String(treeSize)}
            columns={[
              { title: texts.size, isNumber: true, cell: ({ treeSize }) => count(treeSize) },
              {
                title: texts.root,
                cell: ({ rootHash }) => <code title={rootHash}>{rootHash.slice(0, shownOfHash)}…</code>,
              },
              { title: texts.signedAt, isNumber: true, cell: ({ createdAt }) => <Ago time={createdAt} /> },
            ]}
          />
          <Pager offset={offset} size={pageSize} total={total} onMove={setOffset} />
        </>
      )}
    </Answered>
  );
}

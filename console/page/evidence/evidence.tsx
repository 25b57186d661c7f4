import { useQuery } from "@connectrpc/connect-query";
import { Link } from "@tanstack/react-router";
import { EvidenceService } from "../../../gen/policyguard/control/v1/evidence_service_pb.ts";
import { useOrganization } from "../../data/organization.ts";
import layout from "../../part/layout/layout.module.css";
import { Page } from "../../part/page.tsx";
import { Answered } from "../../part/state.tsx";
import { en } from "../../text/en.ts";
import { Controls } from "./controls.tsx";
import style from "./evidence.module.css";
import { Export } from "./export.tsx";
import { Log } from "./log.tsx";
import { LogState } from "./state.tsx";
import { Verify } from "./verify.tsx";

const texts = en.evidence;
const { method } = EvidenceService;
/** A checkpoint is signed each minute. */
const newMs = 30_000;
const maxForks = 50;

/** The log of changes: how it stands, what is in it, and how somebody verifies it without trusting this page. */
export function EvidencePage() {
  const { orgId, can } = useOrganization();
  const mayRead = can(method.listEvidence);
  const checkpoints = useQuery(method.listEvidenceCheckpoints, { orgId }, { refetchInterval: newMs });
  return (
    <Page title={texts.title}>
      {mayRead && <Forks />}
      <Answered query={checkpoints} rows={3}>
        {(state) => <LogState state={state} />}
      </Answered>
      {mayRead ? (
        <>
          <Log />
          <Controls />
          <div className={layout.columns}>
            {can(method.exportEvidence) && <Export />}
            <Verify hasCheckpoint={checkpoints.data?.origin !== undefined} />
          </div>
        </>
      ) : (
        <>
          <p className={layout.dim}>{texts.forAdmins}</p>
          <Verify hasCheckpoint={checkpoints.data?.origin !== undefined} />
        </>
      )}
    </Page>
  );
}

/** What witnesses reported: it needs somebody, so it stands on top. */
function Forks() {
  const { orgId } = useOrganization();
  const query = useQuery(method.listEvidence, { orgId, action: "evidence.fork", limit: maxForks });
  if (query.data === undefined || query.data.total === 0) return null;
  return (
    <section className={style.forks} aria-labelledby="forks">
      <h2 id="forks">{texts.forks(query.data.total)}</h2>
      <p>{texts.forksText}</p>
      <ul>
        {query.data.evidence.map(({ seq, resource }) => (
          <li key={seq}>
            <Link to="/o/$org/settings/evidence/$seq" params={{ org: orgId, seq: String(seq) }}>
              {texts.entry(seq)}
            </Link>{" "}
            {texts.forkBy(resource)}
          </li>
        ))}
      </ul>
    </section>
  );
}

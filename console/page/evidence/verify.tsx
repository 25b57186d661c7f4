import { useQuery } from "@connectrpc/connect-query";
import { Link } from "@tanstack/react-router";
import { RetentionService } from "../../../gen/policyguard/control/v1/retention_service_pb.ts";
import { useOrganization } from "../../data/organization.ts";
import layout from "../../part/layout/layout.module.css";
import { Panel } from "../../part/panel.tsx";
import { en } from "../../text/en.ts";
import style from "./evidence.module.css";

const texts = en.evidence;

/** How somebody verifies an export, watches the log, and how long entries are kept. */
export function Verify({ hasCheckpoint }: { readonly hasCheckpoint: boolean }) {
  const { orgId, can } = useOrganization();
  const { data } = useQuery(RetentionService.method.getRetention, { orgId });
  const days = data?.retention?.effectiveEvidenceDays;
  return (
    <Panel title={texts.verify}>
      {hasCheckpoint && (
        <>
          <p>{texts.verifyText}</p>
          <pre className={style.code}>policy-guard evidence verify evidence.zip --key log-keys.txt</pre>
          <p>{texts.watchText}</p>
          <pre className={style.code}>policy-guard evidence watch --key log-keys.txt --state kept.txt</pre>
        </>
      )}
      {days !== undefined && (
        <p className={layout.dim}>
          {texts.retention} <strong>{texts.kept(days)}</strong>. {texts.keptText}{" "}
          {can(RetentionService.method.updateRetention) && (
            <Link to="/o/$org/settings" params={{ org: orgId }}>
              {texts.changeRetention}
            </Link>
          )}
        </p>
      )}
    </Panel>
  );
}

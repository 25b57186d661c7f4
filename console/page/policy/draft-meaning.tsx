import { useQuery } from "@connectrpc/connect-query";
import { PolicyService } from "../../../gen/policyguard/control/v1/policy_service_pb.ts";
import { documentOf } from "../../data/document.ts";
import { failureOf } from "../../data/failure.ts";
import { useOrganization } from "../../data/organization.ts";
import { Meaning } from "../../part/judgement/meaning.tsx";
import { Failed, Loading } from "../../part/state.tsx";
import { useTold } from "../../part/told.ts";
import { en } from "../../text/en.ts";

const texts = en.policy;

/** What saving would mean, said before it is done. A text with errors has no meaning yet. */
export function DraftMeaning({
  policyId,
  version,
  text,
  isSaving = false,
}: {
  readonly policyId: string;
  readonly version: number;
  readonly text: string;
  /** What was compared is being stored: it would be compared with itself. */
  readonly isSaving?: boolean;
}) {
  const { orgId } = useOrganization();
  const draft = { orgId, policyId, from: version, document: documentOf(text) };
  const { data, error, refetch } = useQuery(PolicyService.method.diffPolicyDraft, draft, { enabled: !isSaving });
  if (data !== undefined) return <Meaning diff={data} />;
  if (error === null) return <Loading rows={2} />;
  return failureOf(error).kind === "invalid" ? <NoMeaning error={error} /> : <Failed error={error} onRetry={refetch} />;
}

function NoMeaning({ error }: { readonly error: unknown }) {
  useTold(error);
  return <p>{texts.noMeaning}</p>;
}

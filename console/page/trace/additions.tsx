// "Mark a false positive, then make a test or an exemption of it", in one click: the policy that decided opens with one
// line more, unsaved, so that its author reviews and saves it.

import { createClient } from "@connectrpc/connect";
import { useState } from "react";
import { PolicyService } from "../../../gen/policyguard/control/v1/policy_service_pb.ts";
import type { Trace } from "../../../gen/policyguard/control/v1/trace_pb.ts";
import { sourceOf } from "../../data/document.ts";
import { draftKey, keepDraft, readDraft } from "../../data/draft.ts";
import { useOrganization } from "../../data/organization.ts";
import { addToList, type Entry, flow } from "../../data/policy-addition.ts";
import { transport } from "../../data/transport.ts";
import { useBusy } from "../../part/busy.ts";
import { Button } from "../../part/button.tsx";
import { useGoOn } from "../../part/shown.ts";
import { Failed } from "../../part/state.tsx";
import { en } from "../../text/en.ts";
import { exemptionOf, testOf } from "./from-trace.ts";
import { markKinds, whyNotMark } from "./mark-kind.ts";
import style from "./trace.module.css";

const texts = en.review;
const policies = createClient(PolicyService, transport);
type List = "tests" | "exemptions";

/** The two buttons. `onAdd` marks the trace. */
export function Additions({ trace, onAdd }: { readonly trace: Trace; readonly onAdd: () => Promise<void> }) {
  const { orgId, accountId, can } = useOrganization();
  const navigate = useGoOn();
  const { run, isBusy, error } = useBusy();
  const [problem, setProblem] = useState<{ readonly text: string; readonly entry?: Entry }>();
  const name = trace.decidedByPolicy;
  if (name === undefined || !can(PolicyService.method.updatePolicy)) return null;
  const add = (list: List, entry: Entry | undefined) =>
    entry !== undefined &&
    run(async () => {
      const [found] = (await policies.listPolicies({ orgId, name, limit: 1 })).policies;
      const policy = found && (await policies.getPolicy({ orgId, policyId: found.id })).policy;
      if (policy === undefined) return setProblem({ text: texts.noPolicy(name) });
      const key = draftKey(accountId, orgId, policy.id);
      const draft = readDraft(key);
      const text = addToList(draft?.text ?? sourceOf(policy), list, entry);
      if (text === undefined) return setProblem({ text: texts.byHand(list), entry });
      await onAdd();
      keepDraft(key, { text, version: draft?.version ?? policy.version });
      await navigate({ to: "/o/$org/policies/$policy", params: { org: orgId, policy: policy.id } });
    });
  const whyNot = whyNotMark(markKinds[0], trace);
  const test = testOf(trace);
  const exemption = exemptionOf(trace, new Date());
  return (
    <>
      <Button
        disabled={isBusy}
        why={whyNot ?? (test === undefined ? texts.noText : undefined)}
        title={texts.toTestHint}
        onClick={() => add("tests", test)}
      >
        {texts.toTest}
      </Button>
      <Button
        disabled={isBusy}
        why={whyNot ?? (exemption === undefined ? texts.noSubject : undefined)}
        title={texts.toExemptionHint}
        onClick={() => add("exemptions", exemption)}
      >
        {texts.toExemption}
      </Button>
      {error !== undefined && <Failed error={error} />}
      {problem !== undefined && (
        <div role="alert" className={style.segment}>
          <p>{problem.text}</p>
          {problem.entry !== undefined && <pre className={style.snippet}>{`- ${flow(problem.entry)}`}</pre>}
        </div>
      )}
    </>
  );
}

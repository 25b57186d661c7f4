import { callUnaryMethod } from "@connectrpc/connect-query";
import { useState } from "react";
import type { RobustnessGrade } from "../../../gen/policyguard/control/v1/policy_pb.ts";
import { PolicyService } from "../../../gen/policyguard/control/v1/policy_service_pb.ts";
import { documentOf } from "../../data/document.ts";
import { transport } from "../../data/transport.ts";
import { useBusy } from "../../part/busy.ts";
import { Button } from "../../part/button.tsx";
import { Failed } from "../../part/state.tsx";
import { Table } from "../../part/table.tsx";
import { en } from "../../text/en.ts";
import { share } from "../../text/format.ts";
import style from "./policy.module.css";

const texts = en.policy;

/** How much of what the policy blocks it still blocks in disguise. Measured on demand: it runs every test many times. */
export function Robustness({ orgId, text }: { readonly orgId: string; readonly text: string }) {
  const [grade, setGrade] = useState<{ readonly of: string; readonly grade: RobustnessGrade | undefined }>();
  const { run, isBusy, error } = useBusy();
  const measure = () =>
    run(async () => {
      const request = { orgId, document: documentOf(text), robustness: true };
      const { policies } = await callUnaryMethod(transport, PolicyService.method.testPolicies, request);
      setGrade({ of: text, grade: policies[0]?.robustness });
    });
  const shown = grade?.of === text ? grade.grade : undefined;
  return (
    <div className={style.compare}>
      <p className={style.dim}>{texts.robustnessText}</p>
      <div>
        <Button disabled={isBusy} onClick={measure}>
          {isBusy ? en.common.working : texts.measureRobustness}
        </Button>
      </div>
      {error !== undefined && <Failed error={error} />}
      {shown !== undefined && (
        <>
          <p role="status">{texts.robustShare(share(shown.share), shown.tests)}</p>
          <Table
            label={texts.robustness}
            rows={shown.mutations}
            keyOf={({ mutation }) => mutation}
            columns={[
              { title: texts.disguise, cell: ({ mutation }) => mutation },
              { title: texts.stillBlocked, isNumber: true, cell: ({ caught }) => caught },
              { title: texts.missed, cell: ({ missed }) => missed.join(", ") },
            ]}
          />
        </>
      )}
    </div>
  );
}

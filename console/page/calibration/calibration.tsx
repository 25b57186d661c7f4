import { toJson } from "@bufbuild/protobuf";
import { ValueSchema } from "@bufbuild/protobuf/wkt";
import { callUnaryMethod, useQuery } from "@connectrpc/connect-query";
import { Link, useParams } from "@tanstack/react-router";
import { useState } from "react";
import type { Calibration } from "../../../gen/policyguard/control/v1/calibration_pb.ts";
import { CalibrationService } from "../../../gen/policyguard/control/v1/calibration_service_pb.ts";
import { PolicyService } from "../../../gen/policyguard/control/v1/policy_service_pb.ts";
import { RunState } from "../../../gen/policyguard/control/v1/run_pb.ts";
import { usePolicies } from "../../data/choice/policy.ts";
import { draftKey, keepDraft } from "../../data/draft.ts";
import { invalidate } from "../../data/invalidation.ts";
import { useOrganization } from "../../data/organization.ts";
import { perform } from "../../data/perform.ts";
import { isOpen } from "../../data/run.ts";
import { transport } from "../../data/transport.ts";
import { Ago } from "../../part/ago.tsx";
import { useBusy } from "../../part/busy.ts";
import { Button } from "../../part/button.tsx";
import { DeedDialog } from "../../part/deed-dialog.tsx";
import layout from "../../part/layout/layout.module.css";
import { Page } from "../../part/page.tsx";
import { Panel } from "../../part/panel.tsx";
import { useGoOn } from "../../part/shown.ts";
import { Answered, Failed } from "../../part/state.tsx";
import { en } from "../../text/en.ts";
import { Report } from "./report.tsx";
import { CalibrationState, promiseText } from "./state.tsx";

const texts = en.calibrations;
const { method } = CalibrationService;
const workingMs = 2_000;

/** One calibration: how far it is, and then what can be promised. */
export function CalibrationPage() {
  const { orgId } = useOrganization();
  const { run: calibrationId } = useParams({ from: "/o/$org/calibrations/$run" });
  const { policyName } = usePolicies();
  const query = useQuery(
    method.getCalibration,
    { orgId, calibrationId },
    {
      refetchInterval: ({ state }) =>
        state.data?.calibration && isOpen(state.data.calibration.state) ? workingMs : false,
    },
  );
  const calibration = query.data?.calibration;
  return (
    <Page
      title={calibration?.ruleId ?? texts.title}
      note={
        calibration && (
          <>
            <Link to="/o/$org/policies/$policy" params={{ org: orgId, policy: calibration.policyId }}>
              {texts.ofRule(policyName(calibration.policyId), calibration.policyVersion)}
            </Link>{" "}
            · <CalibrationState calibration={calibration} />
          </>
        )
      }
      actions={calibration && <Deeds calibration={calibration} />}
    >
      <Answered query={query}>
        {() =>
          calibration && (
            <>
              <p className={layout.dim}>
                {promiseText(calibration)} · {calibration.createdBy}, <Ago time={calibration.createdAt} />
              </p>
              {calibration.state === RunState.QUEUED && <p role="status">{texts.waiting}</p>}
              {calibration.error !== undefined && <p role="alert">{calibration.error.message}</p>}
              {calibration.report !== undefined && <Report report={calibration.report} />}
              {calibration.report?.proposal !== undefined && <Proposal calibration={calibration} />}
            </>
          )
        }
      </Answered>
    </Page>
  );
}

/** The change that the promise needs, as unsaved text of the workbench. */
function Proposal({ calibration }: { readonly calibration: Calibration }) {
  const { orgId, accountId, can } = useOrganization();
  const navigate = useGoOn();
  const { policyId, report } = calibration;
  const policy = useQuery(PolicyService.method.getPolicy, { orgId, policyId });
  const document = report?.proposal?.document;
  const stored = policy.data?.policy;
  const isText = stored?.source !== undefined && !/^\s*\{/.test(stored.source);
  const open = async () => {
    if (document === undefined || stored === undefined) return;
    const text = `${JSON.stringify(toJson(ValueSchema, document), null, 2)}\n`;
    // The text is that of the version that was measured: what was saved since is a conflict to be told.
    keepDraft(draftKey(accountId, orgId, policyId), { text, version: calibration.policyVersion });
    await navigate({ to: "/o/$org/policies/$policy", params: { org: orgId, policy: policyId } });
  };
  return (
    <Panel
      title={texts.proposal}
      text={texts.proposalText}
      actions={
        can(PolicyService.method.updatePolicy) &&
        stored !== undefined && (
          <Button kind="primary" onClick={open}>
            {texts.open}
          </Button>
        )
      }
    >
      <ul>
        {report?.proposal?.changes.map((change) => (
          <li key={change}>{change}</li>
        ))}
      </ul>
      {isText && <p className={layout.dim}>{texts.asJson}</p>}
    </Panel>
  );
}

function Deeds({ calibration: { orgId, id: calibrationId, state } }: { readonly calibration: Calibration }) {
  const { can } = useOrganization();
  const navigate = useGoOn();
  const { run, isBusy, error } = useBusy();
  const [isAsking, setAsking] = useState(false);
  const place = { orgId, calibrationId };
  const cancel = () =>
    run(async () => {
      await perform(method.cancelCalibration, place);
    });
  return (
    <>
      {error !== undefined && <Failed error={error} />}
      {isOpen(state) && can(method.cancelCalibration) && (
        <Button disabled={isBusy} onClick={cancel}>
          {texts.cancel}
        </Button>
      )}
      {can(method.deleteCalibration) && <Button onClick={() => setAsking(true)}>{texts.delete}</Button>}
      {isAsking && (
        <DeedDialog
          title={texts.deleteTitle}
          text={texts.deleteText}
          deed={texts.confirmDelete}
          isGrave
          onClose={() => setAsking(false)}
          onDo={async () => {
            await callUnaryMethod(transport, method.deleteCalibration, place);
            await navigate({ to: "/o/$org/calibrations", params: { org: orgId } });
            await invalidate(method.deleteCalibration);
          }}
        />
      )}
    </>
  );
}

import { useQuery } from "@connectrpc/connect-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { Calibration } from "../../../gen/policyguard/control/v1/calibration_pb.ts";
import { CalibrationService } from "../../../gen/policyguard/control/v1/calibration_service_pb.ts";
import { usePolicies } from "../../data/choice/policy.ts";
import { useOrganization } from "../../data/organization.ts";
import { isOpen } from "../../data/run.ts";
import { Ago } from "../../part/ago.tsx";
import { Button } from "../../part/button.tsx";
import layout from "../../part/layout/layout.module.css";
import { NothingYet } from "../../part/onboarding/nothing-yet.tsx";
import { Page } from "../../part/page.tsx";
import { Pager } from "../../part/pager.tsx";
import { Answered } from "../../part/state.tsx";
import { Table } from "../../part/table.tsx";
import { en } from "../../text/en.ts";
import { CreateCalibrationDialog } from "./create.tsx";
import { CalibrationState, promiseText } from "./state.tsx";

const texts = en.calibrations;
const { method } = CalibrationService;
const pageSize = 50;
const workingMs = 2_000;

/** What was calibrated, the newest first. */
export function CalibrationsPage() {
  const { orgId, can } = useOrganization();
  const [offset, setOffset] = useState(0);
  const [isCreating, setCreating] = useState(false);
  const query = useQuery(
    method.listCalibrations,
    { orgId, limit: pageSize, offset },
    {
      refetchInterval: ({ state }) => (state.data?.calibrations.some((each) => isOpen(each.state)) ? workingMs : false),
    },
  );
  const create = can(method.createCalibration) && (
    <Button hotkey="create" kind="primary" onClick={() => setCreating(true)}>
      {texts.create}
    </Button>
  );
  return (
    <Page title={texts.title} note={query.data && en.common.total(query.data.total)} actions={create}>
      <p className={layout.dim}>{texts.text}</p>
      <Answered query={query}>
        {({ calibrations, total }) => (
          <>
            {total === 0 && (
              <NothingYet of="calibrations" title={texts.empty} text={texts.emptyText}>
                {create}
              </NothingYet>
            )}
            {total > 0 && <Calibrations calibrations={calibrations} />}
            <Pager offset={offset} size={pageSize} total={total} onMove={setOffset} />
          </>
        )}
      </Answered>
      {isCreating && <CreateCalibrationDialog onClose={() => setCreating(false)} />}
    </Page>
  );
}

function Calibrations({ calibrations }: { readonly calibrations: readonly Calibration[] }) {
  const { policyName } = usePolicies();
  return (
    <Table
      label={texts.title}
      rows={calibrations}
      keyOf={({ id }) => id}
      columns={[
        {
          title: texts.rule,
          cell: ({ id, orgId, ruleId, policyId, policyVersion }) => (
            <span className={layout.name}>
              <Link to="/o/$org/calibrations/$run" params={{ org: orgId, run: id }}>
                {ruleId}
              </Link>
              <span className={layout.small}>{texts.ofRule(policyName(policyId), policyVersion)}</span>
            </span>
          ),
        },
        { title: texts.promise, phone: "below", cell: promiseText },
        { title: texts.state, phone: "end", cell: (calibration) => <CalibrationState calibration={calibration} /> },
        { title: texts.who, phone: "below", cell: ({ createdBy }) => createdBy },
        { title: texts.when, phone: "below", isNumber: true, cell: ({ createdAt }) => <Ago time={createdAt} /> },
      ]}
    />
  );
}

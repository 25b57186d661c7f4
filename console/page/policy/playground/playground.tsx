// Judges requests by the document in the editor, and shows why. Judging is on demand, and by default by the visible
// text, saved or not.

import { useQuery } from "@connectrpc/connect-query";
import { useEffect, useState } from "react";
import { EnvironmentService } from "../../../../gen/policyguard/control/v1/environment_service_pb.ts";
import { Outcome as OutcomeNumber } from "../../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { useProjects } from "../../../data/choice/project.ts";
import { documentOf } from "../../../data/document.ts";
import { useOrganization } from "../../../data/organization.ts";
import { addToList, type Entry } from "../../../data/policy-addition.ts";
import { Button } from "../../../part/button.tsx";
import { Select } from "../../../part/field.tsx";
import { outcomeName } from "../../../part/judgement/outcome-name.ts";
import layout from "../../../part/layout/layout.module.css";
import { Failed } from "../../../part/state.tsx";
import { en } from "../../../text/en.ts";
import style from "../policy.module.css";
import { Composer } from "./composer.tsx";
import { type Asked, isBlank, testOf } from "./request.ts";
import { type Judge, useJudge } from "./use-judge.ts";
import { Remaining, Verdict } from "./verdict.tsx";

const texts = en.playground;
const draft = "draft";
const stored = "stored";

/** A stored policy, by which requests can be judged too. */
export interface StoredPolicy {
  readonly policyId: string;
  readonly version: number;
  readonly projectId: string | undefined;
}

/** The playground beside an editor. `onWrite` gets the document with a test more. */
export function Playground({
  document,
  policy,
  asked,
  onAsk,
  judgeNow,
  onWrite,
}: {
  readonly document: string;
  readonly policy: StoredPolicy | undefined;
  readonly asked: Asked;
  readonly onAsk: (asked: Asked) => void;
  /** Is given what judges, for the keys of the editor beside it. */
  readonly judgeNow: { current: (() => void) | undefined };
  readonly onWrite: ((document: string) => void) | undefined;
}) {
  const [by, setBy] = useState(draft);
  const { bundles } = useBundles(policy);
  const chosen = bundles.find(({ id }) => id === by);
  const judgedBy: Judge =
    chosen !== undefined
      ? { projectId: chosen.projectId, environment: chosen.name }
      : by === stored && policy !== undefined
        ? { policyId: policy.policyId, version: policy.version }
        : { document: documentOf(document) };
  const { judge, judged, isStale, fault, isBusy, error } = useJudge(judgedBy);
  useEffect(() => {
    judgeNow.current = () => judge(asked);
  });
  return (
    <section className={style.playground} aria-label={texts.title}>
      <h2>{texts.title}</h2>
      {policy !== undefined && (
        <Select label={texts.judgeBy} value={by} onChange={({ target }) => setBy(target.value)}>
          <option value={draft}>{texts.draft}</option>
          <option value={stored}>{texts.stored(policy.version)}</option>
          {bundles.map(({ id, name, project, version }) => (
            <option key={id} value={id}>
              {texts.bundle(project, name, version)}
            </option>
          ))}
        </Select>
      )}
      <Composer asked={asked} fault={fault} onChange={onAsk} onJudge={() => judge(asked)} />
      <div>
        <Button kind="primary" onClick={() => judge(asked)} disabled={isBusy || isBlank(asked)} hotkey="judge">
          {isBusy ? texts.judging : texts.judge}
        </Button>
      </div>
      {error !== undefined && <Failed error={error} />}
      {judged !== undefined && <Verdict judged={judged} isStale={isStale(asked)} />}
      <Remaining count={judged?.remaining} />
      {judged !== undefined && onWrite !== undefined && (
        <CopyAsTest
          document={document}
          test={testOf(
            judged.asked,
            outcomeName(judged.explanation.response?.outcome ?? OutcomeNumber.UNSPECIFIED) ?? "",
          )}
          onWrite={onWrite}
        />
      )}
    </section>
  );
}

/** The environments of the policy's project, or of the first one, in which something is active. */
function useBundles(policy: StoredPolicy | undefined) {
  const { orgId } = useOrganization();
  const { project } = useProjects(policy?.projectId);
  const { data } = useQuery(
    EnvironmentService.method.listEnvironments,
    { orgId, projectId: project?.id ?? "" },
    { enabled: policy !== undefined && project !== undefined },
  );
  const bundles = (data?.environments ?? []).flatMap(({ id, name, projectId, activeVersion }) =>
    activeVersion === undefined ? [] : [{ id, name, projectId, project: project?.name ?? "", version: activeVersion }],
  );
  return { bundles };
}

/** Writes what came out as a test at the end of the document. */
function CopyAsTest({
  document,
  test,
  onWrite,
}: {
  readonly document: string;
  readonly test: Entry | undefined;
  readonly onWrite: (document: string) => void;
}) {
  const [said, setSaid] = useState("");
  if (test === undefined) return null;
  const copy = () => {
    const written = addToList(document, "tests", test);
    setSaid(written === undefined ? texts.notCopied : texts.copied);
    if (written !== undefined) onWrite(written);
  };
  return (
    <div className={layout.row}>
      <Button onClick={copy}>{texts.copy}</Button>
      <span role="status">{said}</span>
    </div>
  );
}

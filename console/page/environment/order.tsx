// Where an environment stands, and its end.

import { callUnaryMethod } from "@connectrpc/connect-query";
import { useState } from "react";
import type { Environment } from "../../../gen/policyguard/control/v1/environment_pb.ts";
import { EnvironmentService } from "../../../gen/policyguard/control/v1/environment_service_pb.ts";
import { invalidate } from "../../data/invalidation.ts";
import { useOrganization } from "../../data/organization.ts";
import { perform } from "../../data/perform.ts";
import { transport } from "../../data/transport.ts";
import { useBusy } from "../../part/busy.ts";
import { Button } from "../../part/button.tsx";
import { DeedDialog } from "../../part/deed-dialog.tsx";
import { Panel } from "../../part/panel.tsx";
import { useGoOn } from "../../part/shown.ts";
import { Failed } from "../../part/state.tsx";
import { en } from "../../text/en.ts";
import style from "./environment.module.css";

const texts = en.environment;
const { method } = EnvironmentService;

/** The place of an environment among the others of its project. */
export function Order({
  all,
  environment,
}: {
  readonly all: readonly Environment[];
  readonly environment: Environment;
}) {
  const { can } = useOrganization();
  const { run, isBusy, error } = useBusy();
  const { orgId, projectId } = environment;
  const names = all.map(({ name }) => name);
  const at = names.indexOf(environment.name);
  if (names.length < 2) return null;
  const move = (step: number) =>
    run(async () => {
      const others = names.toSpliced(at, 1);
      await perform(method.reorderEnvironments, {
        ...{ orgId, projectId },
        names: others.toSpliced(at + step, 0, environment.name),
      });
    });
  return (
    <Panel
      title={texts.order}
      text={texts.orderText}
      actions={
        can(method.reorderEnvironments) && (
          <>
            <Button disabled={isBusy} why={at === 0 ? texts.isFirst : undefined} onClick={() => move(-1)}>
              {texts.earlier}
            </Button>
            <Button disabled={isBusy} why={at === names.length - 1 ? texts.isLast : undefined} onClick={() => move(1)}>
              {texts.later}
            </Button>
          </>
        )
      }
    >
      <ol className={style.order}>
        {names.map((name, index) => (
          <li key={name} aria-current={index === at ? "true" : undefined}>
            {name}
          </li>
        ))}
      </ol>
      {error !== undefined && <Failed error={error} />}
    </Panel>
  );
}

/** Deletes the environment, after its name was typed where somebody may depend on it. */
export function DeleteEnvironment({ environment }: { readonly environment: Environment }) {
  const { can } = useOrganization();
  const navigate = useGoOn();
  const [isAsking, setAsking] = useState(false);
  const { orgId, projectId, name, activeVersion, isProtected } = environment;
  if (!can(method.deleteEnvironment)) return null;
  const isUsed = activeVersion !== undefined;
  return (
    <Panel
      title={texts.danger}
      text={texts.dangerText}
      actions={
        <Button kind="danger" onClick={() => setAsking(true)}>
          {texts.delete}
        </Button>
      }
    >
      {isAsking && (
        <DeedDialog
          title={texts.deleteTitle(name)}
          text={isUsed ? texts.deleteActive(activeVersion) : texts.dangerText}
          deed={texts.confirmDelete}
          isGrave
          {...(isUsed || isProtected ? { typed: name } : {})}
          onClose={() => setAsking(false)}
          onDo={async () => {
            // The page goes before its environment does, so that it does not ask for what is gone.
            await callUnaryMethod(transport, method.deleteEnvironment, {
              ...{ orgId, projectId, envName: name },
              force: isUsed,
            });
            await navigate({ to: "/o/$org/environments", params: { org: orgId }, search: { project: projectId } });
            await invalidate(method.deleteEnvironment);
          }}
        />
      )}
    </Panel>
  );
}

import { useState } from "react";
import { BundleService } from "../../../gen/policyguard/control/v1/bundle_service_pb.ts";
import type { Environment } from "../../../gen/policyguard/control/v1/environment_pb.ts";
import { failureOf } from "../../data/failure.ts";
import { useOrganization } from "../../data/organization.ts";
import { perform } from "../../data/perform.ts";
import { DeedDialog } from "../../part/deed-dialog.tsx";
import { TextField } from "../../part/field.tsx";
import { useGoOn } from "../../part/shown.ts";
import { en } from "../../text/en.ts";
import { mayOverride, OverrideFields, useOverride } from "./gate/override.tsx";

const texts = en.environments;

/** How a version is made: of the policies as they are now, or of those that are active, with what surrounds them now. */
export type Making = "publish" | "republish";

/**
 * Makes a version that nobody enforces yet and leads to its page: what it changes, its gates and what it would have
 * done stand there before anybody activates it.
 */
export function PublishDialog({
  making,
  environment,
  onClose,
}: {
  readonly making: Making;
  readonly environment: Environment;
  readonly onClose: () => void;
}) {
  const { orgId, role } = useOrganization();
  const goOn = useGoOn();
  // Of content that is yet to be made nobody knows how the gates stand, until they have refused it.
  const [closed, setClosed] = useState<readonly string[]>([]);
  const past = useOverride(closed);
  const { projectId, name } = environment;
  const publish = async (text: (name: string) => string) => {
    const message = text("message").trim();
    const request = {
      ...{ orgId, projectId, envName: name },
      ...(message === "" ? {} : { message }),
      ...(past.override === undefined ? {} : { override: past.override }),
    };
    try {
      const { bundle } =
        making === "publish"
          ? await perform(BundleService.method.publishBundle, request)
          : await perform(BundleService.method.republishBundle, request);
      await goOn({
        to: "/o/$org/environments/$project/$env/$version",
        params: { org: orgId, project: projectId, env: name, version: String(bundle?.version ?? 0) },
      });
    } catch (failure) {
      const refused = failureOf(failure).gates.filter(({ state }) => state !== "passed" && state !== "overridden");
      setClosed(refused.map(({ gate }) => gate));
      throw failure;
    }
  };
  const { title, text, deed } = wordsOf(making, name);
  return (
    <DeedDialog title={title} text={text} deed={deed} onDo={publish} onClose={onClose}>
      <TextField label={texts.message} name="message" maxLength={2000} />
      {closed.length > 0 && mayOverride(environment, role) && (
        <OverrideFields closed={closed} choice={past.choice} onChange={past.onChange} />
      )}
    </DeedDialog>
  );
}

function wordsOf(making: Making, env: string) {
  const { publishTitle, publishText, confirmPublish } = texts;
  if (making === "publish") return { title: publishTitle(env), text: publishText, deed: confirmPublish };
  const { republishTitle, republishText, confirmRepublish } = en.environment;
  return { title: republishTitle(env), text: republishText, deed: confirmRepublish };
}

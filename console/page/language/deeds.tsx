import { useState } from "react";
import {
  type LanguagePack,
  LanguageTrust,
  type PendingEnvironment,
} from "../../../gen/policyguard/control/v1/language_pb.ts";
import { LanguageService } from "../../../gen/policyguard/control/v1/language_service_pb.ts";
import { useOrganization } from "../../data/organization.ts";
import { perform } from "../../data/perform.ts";
import { DeedDialog } from "../../part/deed-dialog.tsx";
import layout from "../../part/layout/layout.module.css";
import { en } from "../../text/en.ts";
import { categoryTitle } from "./names.ts";

const texts = en.languages;
const { method } = LanguageService;

/** What a change of languages did at once, and where it waits. */
export interface Changed {
  readonly bundles: number;
  readonly pending: readonly PendingEnvironment[];
}

interface DialogProps {
  readonly pack: LanguagePack;
  readonly onDone: (changed: Changed) => void;
  readonly onClose: () => void;
}

/** Enables a pack, or changes which of its categories count. */
export function EnableDialog({
  pack: { language, name, categories, trustLevel },
  chosen,
  onDone,
  onClose,
}: DialogProps & { readonly chosen: readonly string[] | undefined }) {
  const { orgId } = useOrganization();
  const all = Object.keys(categories);
  const [wanted, setWanted] = useState<readonly string[]>(chosen ?? all);
  const toggle = (category: string, isChosen: boolean) =>
    setWanted((former) => (isChosen ? [...former, category] : former.filter((each) => each !== category)));
  return (
    <DeedDialog
      title={texts.enableTitle(name)}
      text={trustLevel === LanguageTrust.DRAFT ? `${texts.enableText} ${texts.draftText}` : texts.enableText}
      deed={texts.confirmEnable}
      onClose={onClose}
      onDo={async (text) => {
        const { bundles, pendingEnvironments } = await perform(method.enableLanguage, {
          orgId,
          language,
          categories: wanted.length === all.length ? [] : [...wanted],
          republish: text("republish") === "on",
        });
        onDone({ bundles: bundles.length, pending: pendingEnvironments });
      }}
    >
      <fieldset className={layout.set}>
        <legend>{texts.categories}</legend>
        {all.map((category) => (
          <label key={category} className={layout.check}>
            <input
              type="checkbox"
              checked={wanted.includes(category)}
              // Of none, the server would take all.
              disabled={wanted.length === 1 && wanted.includes(category)}
              onChange={({ target }) => toggle(category, target.checked)}
            />
            {categoryTitle(category)}
          </label>
        ))}
      </fieldset>
      <Republish />
    </DeedDialog>
  );
}

/** Disables a pack. */
export function DisableDialog({ pack: { language, name }, onDone, onClose }: DialogProps) {
  const { orgId } = useOrganization();
  return (
    <DeedDialog
      title={texts.disableTitle(name)}
      text={texts.disableText}
      deed={texts.confirmDisable}
      isGrave
      onClose={onClose}
      onDo={async (text) => {
        const { bundles, pendingEnvironments } = await perform(method.disableLanguage, {
          orgId,
          language,
          republish: text("republish") === "on",
        });
        onDone({ bundles: bundles.length, pending: pendingEnvironments });
      }}
    >
      <Republish />
    </DeedDialog>
  );
}

function Republish() {
  return (
    <label className={layout.check}>
      <input type="checkbox" name="republish" />
      <span>
        {texts.republish}. <span className={layout.small}>{texts.republishHint}</span>
      </span>
    </label>
  );
}

import { LanguageTrust } from "../../../gen/policyguard/control/v1/language_pb.ts";
import { Badge } from "../../part/badge.tsx";
import { en } from "../../text/en.ts";
import { trustNames } from "./names.ts";

const texts = en.languages;

/** How well a pack is known to work. */
export function Trust({ level }: { readonly level: LanguageTrust }) {
  const name = trustNames.nameOf(level);
  return (
    <Badge tone={level === LanguageTrust.DRAFT ? "notice" : "good"} title={texts.trustHints[name] ?? ""}>
      {texts.trusts[name] ?? name}
    </Badge>
  );
}

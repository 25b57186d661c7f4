import { draftKey, keepDraft, readDraft } from "./draft.ts";
import { useOrganization } from "./organization.ts";

/** Where a form keeps what is typed and not saved, by the names of its fields. */
export interface FormDraft {
  readonly read: () => Readonly<Record<string, string | boolean>> | undefined;
  readonly keep: (values: Readonly<Record<string, string | boolean>> | undefined) => void;
}

/** The draft of a form of the organization: `what` says which one. It holds only fields that were typed into. */
export function useFormDraft(what: string): FormDraft {
  const { accountId, orgId } = useOrganization();
  const key = draftKey(accountId, orgId, `form/${what}`);
  return {
    read: () => valuesOf(readDraft(key)?.text),
    // A form sends what was typed over whatever is stored by then: it has no version.
    keep: (values) => keepDraft(key, values && { text: JSON.stringify(values), version: 0 }),
  };
}

function valuesOf(text: string | undefined): Readonly<Record<string, string | boolean>> | undefined {
  try {
    const values: unknown = JSON.parse(text ?? "null");
    return typeof values === "object" && values !== null
      ? Object.fromEntries(Object.entries(values).filter(([, value]) => ["string", "boolean"].includes(typeof value)))
      : undefined;
  } catch {
    return undefined;
  }
}

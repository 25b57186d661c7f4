// What somebody typed and did not save, kept for this tab until they sign out: a reload, an expired session or a newer
// build of the console loses none of it.

/** Unsaved text, and the version that it began from. */
export interface Draft {
  readonly text: string;
  readonly version: number;
}

const prefix = "policy-guard.draft/";

/** The key of a draft: drafts of one account or organization are never shown in another. */
export function draftKey(accountId: string, orgId: string, what: string): string {
  return `${prefix}${accountId}/${orgId}/${what}`;
}

/** The draft under this key. */
export function readDraft(key: string): Draft | undefined {
  const stored = sessionStorage.getItem(key);
  if (stored === null) return undefined;
  try {
    const { text, version } = JSON.parse(stored) as Partial<Draft>;
    return typeof text === "string" && typeof version === "number" ? { text, version } : undefined;
  } catch {
    return undefined;
  }
}

/** Keeps a draft; without one, forgets it. */
export function keepDraft(key: string, draft: Draft | undefined): void {
  if (draft === undefined) sessionStorage.removeItem(key);
  else sessionStorage.setItem(key, JSON.stringify(draft));
}

/** Forgets all drafts, at sign-out. */
export function forgetDrafts(): void {
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(prefix)) sessionStorage.removeItem(key);
}

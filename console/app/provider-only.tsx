import { Link } from "@tanstack/react-router";
import { startSso } from "../data/sso.ts";
import { EntryCard } from "../page/entry/card.tsx";
import { EntryForm } from "../page/entry/entry-form.tsx";
import { en } from "../text/en.ts";

const texts = en.entry.sso;

/** An organization that lets nobody in by a password: the way to its provider, and back to this address. */
export function ProviderOnly({ orgId }: { readonly orgId: string }) {
  const next = location.pathname + location.search;
  return (
    <EntryCard title={texts.required} links={<Link to="/account">{en.nav.account}</Link>}>
      <EntryForm submit={texts.start} onSubmit={() => startSso({ orgId }, next)} />
    </EntryCard>
  );
}

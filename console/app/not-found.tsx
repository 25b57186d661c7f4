// An address that leads nowhere, or to an organization that the person does not belong to. Neither is a dead end.

import { Link } from "@tanstack/react-router";
import { useOrganization } from "../data/organization.ts";
import { EntryCard } from "../page/entry/card.tsx";
import { Page } from "../part/page.tsx";
import { en } from "../text/en.ts";

const texts = en.failure;

/** Outside an organization: the ways to the person's own ones, and to another account. */
export function NotFound() {
  const links = (
    <>
      <Link to="/">{en.nav.home}</Link>
      <Link to="/account">{en.nav.account}</Link>
    </>
  );
  return (
    <EntryCard title={texts.gone} links={links}>
      <p>{texts.goneText}</p>
    </EntryCard>
  );
}

/** Within the frame of an organization. */
export function PageNotFound() {
  const { orgId } = useOrganization();
  return (
    <Page title={texts.gone}>
      <p>
        {texts.goneText}{" "}
        <Link to="/o/$org" params={{ org: orgId }}>
          {en.nav.home}
        </Link>
      </p>
    </Page>
  );
}

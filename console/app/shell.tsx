import { Link, useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import type { GetMeResponse } from "../../gen/policyguard/control/v1/account_service_pb.ts";
import { useOrganization } from "../data/organization.ts";
import { signOut } from "../data/session.ts";
import { theme, useAppearance, useShownTheme } from "../part/appearance.ts";
import { useBusy } from "../part/busy.ts";
import { Button } from "../part/button.tsx";
import { keyHints } from "../part/keys/use-keys.ts";
import { Mark } from "../part/mark.tsx";
import { Failed } from "../part/state.tsx";
import { en } from "../text/en.ts";
import { deferred } from "./deferred.tsx";
import { GlobalKeys } from "./global-keys.tsx";
import { narrowed, useLookedAt } from "./looked-at.ts";
import { pageGroups } from "./pages.ts";
import style from "./shell.module.css";
import { UnpaidBanner } from "./unpaid.tsx";
import { UntoldFailures } from "./untold.tsx";

const texts = en.nav;
// The frame of every page loads what accounts and organizations need, and projects afterwards. It works without them.
const PlaceSwitch = deferred(async () => (await import("./place-switch.tsx")).PlaceSwitch, MissingPlaceSwitch);

/** The frame of every page: the bar at the top, the navigation at the side, the page. */
export function Shell({ me, children }: { readonly me: GetMeResponse; readonly children: ReactNode }) {
  const { orgId } = useOrganization();
  const [isOpen, setOpen] = useState(false);
  return (
    <div className={style.shell}>
      <a className={style.skip} href="#content">
        {en.skip}
      </a>
      <header className={style.bar}>
        <button
          type="button"
          className={style.menuButton}
          aria-label={texts.open}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          ☰
        </button>
        <span className={style.brand}>
          <Mark />
          {en.product}
        </span>
        <OrganizationSwitch me={me} />
        <span className={style.inBar}>
          <PlaceSwitch />
        </span>
        <span className={style.gap} />
        <GlobalKeys />
        <ThemeButton />
        <AccountMenu me={me} />
      </header>
      <nav className={`${style.side} ${isOpen ? style.isOpen : ""}`} aria-label={texts.label}>
        <span className={style.inSheet}>
          <PlaceSwitch />
        </span>
        <Entries onChoose={() => setOpen(false)} />
      </nav>
      <main id="content" className={style.content}>
        <UnpaidBanner key={orgId} />
        <UntoldFailures />
        {children}
      </main>
    </div>
  );
}

function MissingPlaceSwitch() {
  return (
    <Button kind="quiet" title={en.failure.missingPartText} onClick={() => location.reload()}>
      {texts.missingPlaces}
    </Button>
  );
}

/** The pages. Those that a project or an environment narrows keep the one that is looked at. */
function Entries({ onChoose }: { readonly onChoose: () => void }) {
  const { orgId, allows } = useOrganization();
  const looked = useLookedAt();
  return (
    // Choosing a page closes the menu on phones.
    // biome-ignore lint/a11y/useKeyWithClickEvents: the links within are what is activated
    <ul onClick={onChoose}>
      {pageGroups.map(({ title, pages }) => (
        <li key={title ?? ""}>
          {title !== undefined && <span className={style.group}>{title}</span>}
          {pages
            .filter(({ needs }) => needs === undefined || allows(needs))
            .map(({ to, title: name, go }) => (
              <Link
                key={to}
                to={to}
                params={{ org: orgId }}
                search={narrowed(to, looked)}
                className={style.entry}
                {...keyHints(go)}
                activeProps={{ className: style.active }}
                activeOptions={{ exact: to === "/o/$org" || to === "/o/$org/settings", includeSearch: false }}
              >
                {name}
              </Link>
            ))}
        </li>
      ))}
    </ul>
  );
}

function OrganizationSwitch({ me }: { readonly me: GetMeResponse }) {
  const { orgId, name } = useOrganization();
  const navigate = useNavigate();
  if (me.organizations.length < 2) return <span className={style.organization}>{name}</span>;
  return (
    <select
      className={style.organization}
      aria-label={texts.organization}
      value={orgId}
      onChange={(event) => navigate({ to: "/o/$org", params: { org: event.target.value } })}
    >
      {me.organizations.map((each) => (
        <option key={each.orgId} value={each.orgId}>
          {each.orgName}
        </option>
      ))}
    </select>
  );
}

/** Changes between light and dark; the menu of the account also has what the system says. */
function ThemeButton() {
  const shown = useShownTheme();
  const other = shown === "dark" ? "light" : "dark";
  return (
    <button
      type="button"
      className={style.barButton}
      aria-label={en.appearance.useTheme[other]}
      title={en.appearance.useTheme[other]}
      onClick={() => theme.choose(other)}
    >
      <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
        {shown === "dark" ? <Sun /> : <path d="M13.5 9.8A6 6 0 0 1 6.2 2.5a6 6 0 1 0 7.3 7.3z" />}
      </svg>
    </button>
  );
}

function Sun() {
  return (
    <>
      <circle cx="8" cy="8" r="3" />
      <path d="M8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1.1 1.1M11.9 11.9 13 13M3 13l1.1-1.1M11.9 4.1 13 3" />
    </>
  );
}

function AccountMenu({ me }: { readonly me: GetMeResponse }) {
  const chosen = useAppearance(theme);
  const { run, isBusy, error } = useBusy();
  const letters = initials(me.account?.name ?? "");
  return (
    <>
      <button
        type="button"
        className={style.avatar}
        popoverTarget="account-menu"
        aria-label={`${letters}: ${texts.account}`}
      >
        {letters}
      </button>
      <div id="account-menu" popover="auto" className={style.menu}>
        <p className={style.who}>
          <strong>{me.account?.name}</strong>
          <span>{me.account?.email}</span>
        </p>
        <label>
          {en.appearance.title}
          <select value={chosen} onChange={({ target }) => theme.choose(target.value)}>
            {theme.values.map((each) => (
              <option key={each} value={each}>
                {en.appearance.themes[each]}
              </option>
            ))}
          </select>
        </label>
        <Link to="/account">{texts.account}</Link>
        <a href="/docs">{texts.reference}</a>
        {error !== undefined && <Failed error={error} />}
        <Button disabled={isBusy} onClick={() => run(signOut)}>
          {texts.signOut}
        </Button>
      </div>
    </>
  );
}

/** "AL" for "Ada Lovelace". */
function initials(name: string): string {
  const words = name.split(/\s+/).filter((word) => word !== "");
  const first = [words[0], words.length > 1 ? words.at(-1) : undefined];
  return first.map((word) => [...(word ?? "")][0]?.toUpperCase() ?? "").join("");
}

import { Link, useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import type { GetMeResponse } from "../../gen/policyguard/control/v1/account_service_pb.ts";
import { useOrganization } from "../data/organization.ts";
import { signOut } from "../data/session.ts";
import { Button } from "../part/button.tsx";
import { Mark } from "../part/mark.tsx";
import { en } from "../text/en.ts";
import { GlobalKeys } from "./global-keys.tsx";
import { pageGroups } from "./pages.ts";
import style from "./shell.module.css";
import { applyTheme, storedTheme, themes } from "./theme.ts";
import { UntoldFailures } from "./untold.tsx";

const texts = en.nav;

/** The frame of every page: the bar at the top, the navigation at the side, the page. */
export function Shell({ me, children }: { readonly me: GetMeResponse; readonly children: ReactNode }) {
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
        <span className={style.gap} />
        <GlobalKeys className={style.find} />
        <AccountMenu me={me} />
      </header>
      {/* Choosing a page closes the menu on phones. */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the links within are what is activated */}
      <nav
        className={`${style.side} ${isOpen ? style.isOpen : ""}`}
        aria-label={texts.label}
        onClick={() => setOpen(false)}
      >
        <Entries />
      </nav>
      <main id="content" className={style.content}>
        <UntoldFailures />
        {children}
      </main>
    </div>
  );
}

function Entries() {
  const { orgId, allows } = useOrganization();
  return (
    <ul>
      {pageGroups.map(({ title, pages }) => (
        <li key={title ?? ""}>
          {title !== undefined && <span className={style.group}>{title}</span>}
          {pages
            .filter(({ needs }) => needs === undefined || allows(needs))
            .map(({ to, title: name }) => (
              <Link
                key={to}
                to={to}
                params={{ org: orgId }}
                className={style.entry}
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

function AccountMenu({ me }: { readonly me: GetMeResponse }) {
  const [theme, setTheme] = useState(storedTheme);
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
          {texts.theme}
          <select
            value={theme}
            onChange={(event) => {
              const chosen = themes.find((each) => each === event.target.value) ?? "system";
              applyTheme(chosen);
              setTheme(chosen);
            }}
          >
            {themes.map((each) => (
              <option key={each} value={each}>
                {texts.themes[each]}
              </option>
            ))}
          </select>
        </label>
        <Link to="/account">{texts.account}</Link>
        <a href="/docs">{texts.reference}</a>
        <Button onClick={() => signOut()}>{texts.signOut}</Button>
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

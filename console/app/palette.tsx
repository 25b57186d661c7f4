// Finds pages, policies, deeds, and traces by their id. ARIA's combobox with a list: the focus stays in the field.

import { useQuery } from "@connectrpc/connect-query";
import { useNavigate } from "@tanstack/react-router";
import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import { PolicyService } from "../../gen/policyguard/control/v1/policy_service_pb.ts";
import { useOrganization } from "../data/organization.ts";
import { Dialog } from "../part/dialog.tsx";
import { en } from "../text/en.ts";
import { navigationPages } from "./pages.ts";
import style from "./palette.module.css";
import { applyTheme, themes } from "./theme.ts";

const texts = en.keys;
const maxPolicies = 200;
const maxShown = 12;
const traceId = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i;

interface Entry {
  readonly id: string;
  readonly kind: string;
  readonly title: string;
  readonly choose: () => void;
}

/** The palette, which closes when something is chosen. */
export function Palette({ onKeys, onClose }: { readonly onKeys: () => void; readonly onClose: () => void }) {
  const id = useId();
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const found = useEntries(text, onKeys);
  const chosen = Math.min(at, found.length - 1);
  useEffect(() => {
    list.current?.children[chosen]?.scrollIntoView({ block: "nearest" });
  }, [chosen]);
  const choose = (entry: Entry | undefined) => {
    if (entry === undefined) return;
    onClose();
    entry.choose();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setAt((chosen + step + found.length) % Math.max(1, found.length));
    else if (event.key === "Enter") choose(found[chosen]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title={texts.find} onClose={onClose}>
      <input
        className={style.field}
        type="search"
        role="combobox"
        aria-label={texts.find}
        aria-expanded="true"
        aria-controls={id}
        aria-activedescendant={found[chosen] === undefined ? undefined : `${id}-${chosen}`}
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div ref={list} id={id} role="listbox" aria-label={texts.results} className={style.list}>
        {found.map((entry, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: Enter in the field chooses
          // biome-ignore lint/a11y/useFocusableInteractive: the field has the focus, and names the chosen one
          <div
            key={entry.id}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === chosen}
            className={index === chosen ? style.chosen : ""}
            onPointerMove={() => setAt(index)}
            onClick={() => choose(entry)}
          >
            <span>{entry.title}</span>
            <span className={style.kind}>{entry.kind}</span>
          </div>
        ))}
      </div>
      {found.length === 0 && <p role="status">{texts.nothing}</p>}
    </Dialog>
  );
}

/** What matches the text, pages first. A pasted id is a trace's. */
function useEntries(text: string, onKeys: () => void): readonly Entry[] {
  const { orgId, allows } = useOrganization();
  const navigate = useNavigate();
  const params = { org: orgId };
  const { data } = useQuery(PolicyService.method.listPolicies, { orgId, limit: maxPolicies });
  const id = text.trim();
  if (traceId.test(id)) {
    const choose = () => navigate({ to: "/o/$org/traces/$trace", params: { ...params, trace: id } });
    return [{ id, kind: en.nav.traces, title: texts.trace(id), choose }];
  }
  const pages = navigationPages
    .filter(({ needs }) => needs === undefined || allows(needs))
    .map(({ to, title }) => ({ id: to, kind: texts.pages, title, choose: () => navigate({ to, params }) }));
  const policies = (data?.policies ?? []).map((policy) => ({
    id: policy.id,
    kind: texts.policies,
    title: policy.name,
    choose: () => navigate({ to: "/o/$org/policies/$policy", params: { ...params, policy: policy.id } }),
  }));
  const writes = { title: texts.newPolicy, choose: () => navigate({ to: "/o/$org/policies/new", params }) };
  const deeds = [
    ...(allows("PolicyService/CreatePolicy") ? [writes] : []),
    { title: texts.showKeys, choose: onKeys },
    ...themes.map((theme) => ({ title: texts.theme(en.nav.themes[theme]), choose: () => applyTheme(theme) })),
  ].map((deed) => ({ ...deed, id: deed.title, kind: texts.deeds }));
  const words = id.toLowerCase().split(/\s+/);
  return [...pages, ...policies, ...deeds]
    .filter(({ title }) => words.every((word) => title.toLowerCase().includes(word)))
    .slice(0, maxShown);
}

// What the palette finds: what the page can do, pages, what an organization has, and traces by their id.

import { createQueryOptions, useQuery } from "@connectrpc/connect-query";
import { useQueries } from "@tanstack/react-query";
import { useNavigate, useRouterState } from "@tanstack/react-router";
import { AgentService } from "../../gen/policyguard/control/v1/agent_service_pb.ts";
import { EnvironmentService } from "../../gen/policyguard/control/v1/environment_service_pb.ts";
import { PackService } from "../../gen/policyguard/control/v1/pack_service_pb.ts";
import { PolicyService } from "../../gen/policyguard/control/v1/policy_service_pb.ts";
import { TeamService } from "../../gen/policyguard/control/v1/team_service_pb.ts";
import { isId } from "../data/id.ts";
import { useOrganization } from "../data/organization.ts";
import { useProjects } from "../data/project.ts";
import { transport } from "../data/transport.ts";
import { theme } from "../part/appearance.ts";
import { type Command, commands } from "../part/keys/shortcuts.ts";
import { en } from "../text/en.ts";
import { narrowed, useLookedAt } from "./looked-at.ts";
import { navigationPages } from "./pages.ts";

const texts = en.keys;
/** Entries of each kind, which is what one call answers at most. */
const limit = 200;
/** Projects whose environments and agents are found. */
const maxProjects = 20;
const maxShown = 12;

/** Something that the palette leads to. */
export interface PaletteEntry {
  readonly id: string;
  readonly kind: string;
  readonly title: string;
  /** What does the same by keys. */
  readonly command?: Command | undefined;
  /** Whether the page no longer has it, since it was found. */
  readonly isGone?: () => boolean;
  readonly choose: () => void;
}

/** What matches the text, and whether more may come. `onKeys` shows the keys. */
export function usePaletteEntries(
  text: string,
  onKeys: () => void,
): { readonly found: readonly PaletteEntry[]; readonly isLoading: boolean } {
  const navigate = useNavigate();
  const { orgId } = useOrganization();
  const pages = usePages();
  // The buttons of a page that is being left do nothing any more.
  const isLeaving = useRouterState({ select: ({ status }) => status === "pending" });
  const everywhere = useEverywhere(onKeys);
  const id = text.trim();
  const stored = useStored(id !== "");
  if (isId(id)) {
    const choose = () => navigate({ to: "/o/$org/traces/$trace", params: { org: orgId, trace: id } });
    return { found: [{ id, kind: en.nav.traces, title: texts.trace(id), choose }], isLoading: false };
  }
  const words = id.toLowerCase().split(/\s+/);
  const found = [...(isLeaving ? [] : deedsHere()), ...pages, ...stored.entries, ...everywhere]
    .filter(({ title, kind }) => words.every((word) => `${title} ${kind}`.toLowerCase().includes(word)))
    .slice(0, maxShown);
  return { found, isLoading: stored.isLoading };
}

/** What the buttons of the page do, as far as they may be pressed. */
function deedsHere(): readonly PaletteEntry[] {
  return [...buttonsHere()].map(([title, { dataset }]) => ({
    id: `here ${title}`,
    kind: texts.here,
    title,
    command: commands.find((command) => command === dataset.deed),
    isGone: () => !buttonsHere().has(title),
    choose: () => buttonsHere().get(title)?.click(),
  }));
}

function buttonsHere(): ReadonlyMap<string, HTMLElement> {
  const shown = [...document.querySelectorAll<HTMLElement>("main [data-deed]")];
  const named = shown.flatMap((element) => {
    const isOff = element.matches(":disabled, [aria-disabled=true]") || element.offsetParent === null;
    return isOff ? [] : [[nameOf(element), element] as const];
  });
  // Several of the same name cannot be told apart.
  return new Map(named);
}

/** "Publish… · dev": the button's name, and the heading of what it stands in. */
function nameOf(element: HTMLElement): string {
  const name = element.getAttribute("aria-label") ?? element.innerText;
  const place = element.closest("main li, main section, main article")?.querySelector<HTMLElement>("h2, h3");
  return place === null || place === undefined ? name : `${name} · ${place.innerText}`;
}

function usePages(): readonly PaletteEntry[] {
  const { orgId, allows } = useOrganization();
  const navigate = useNavigate();
  const looked = useLookedAt();
  return navigationPages
    .filter(({ needs }) => needs === undefined || allows(needs))
    .map(({ to, title, go }) => ({
      id: to,
      kind: texts.pages,
      title,
      command: go,
      choose: () => navigate({ to, params: { org: orgId }, search: narrowed(to, looked) }),
    }));
}

function useEverywhere(onKeys: () => void): readonly PaletteEntry[] {
  const { orgId, allows } = useOrganization();
  const navigate = useNavigate();
  const write = {
    title: texts.newPolicy,
    choose: () => navigate({ to: "/o/$org/policies/new", params: { org: orgId } }),
  };
  return [
    ...(allows("PolicyService/CreatePolicy") ? [write] : []),
    { title: texts.showKeys, command: "sheet" as const, choose: onKeys },
    ...theme.values.map((each) => ({
      title: texts.theme(en.appearance.themes[each]),
      choose: () => theme.choose(each),
    })),
  ].map((deed) => ({ ...deed, id: deed.title, kind: texts.everywhere }));
}

/** What the organization has. It is asked for once something is typed. */
function useStored(enabled: boolean): { readonly entries: readonly PaletteEntry[]; readonly isLoading: boolean } {
  const { orgId, can } = useOrganization();
  const navigate = useNavigate();
  const params = { org: orgId };
  const asked = (isAllowed: boolean) => ({ enabled: enabled && isAllowed });
  const { listPolicies } = PolicyService.method;
  const policies = useQuery(listPolicies, { orgId, limit }, asked(can(listPolicies)));
  const { listPacks } = PackService.method;
  const packs = useQuery(listPacks, { limit }, asked(true));
  const { listMembers } = TeamService.method;
  const members = useQuery(listMembers, { orgId, limit }, asked(can(listMembers)));
  const { environments, agents, isLoading } = useOfProjects(enabled);
  const entries = [
    ...(policies.data?.policies ?? []).map(({ id, name }) => ({
      id,
      kind: texts.policies,
      title: name,
      choose: () => navigate({ to: "/o/$org/policies/$policy", params: { ...params, policy: id } }),
    })),
    ...(packs.data?.packs ?? []).map(({ name, displayName }) => ({
      id: `pack ${name}`,
      kind: texts.packs,
      title: displayName,
      choose: () => navigate({ to: "/o/$org/packs/$pack", params: { ...params, pack: name } }),
    })),
    ...environments,
    ...agents,
    ...(members.data?.members ?? []).map(({ id, name, email }) => ({
      id,
      kind: texts.members,
      title: name === undefined ? email : `${name} · ${email}`,
      choose: () => navigate({ to: "/o/$org/settings/team", params }),
    })),
  ];
  return { entries, isLoading: isLoading || [policies, packs, members].some((query) => query.isLoading) };
}

function useOfProjects(enabled: boolean) {
  const { orgId, can } = useOrganization();
  const navigate = useNavigate();
  const projects = useProjects().projects.slice(0, enabled ? maxProjects : 0);
  const { listEnvironments } = EnvironmentService.method;
  const { listAgents } = AgentService.method;
  const mayAgents = can(listAgents);
  const environments = useQueries({
    queries: projects.map(({ id: projectId }) =>
      createQueryOptions(listEnvironments, { orgId, projectId }, { transport }),
    ),
  });
  const agents = useQueries({
    queries: (mayAgents ? projects : []).map(({ id: projectId }) =>
      createQueryOptions(listAgents, { orgId, projectId, limit }, { transport }),
    ),
  });
  const nameOf = (projectId: string) => projects.find(({ id }) => id === projectId)?.name ?? "";
  const params = { org: orgId };
  return {
    isLoading: [...environments, ...agents].some((query) => query.isLoading),
    environments: environments.flatMap(({ data }) =>
      (data?.environments ?? []).map(({ id, name, projectId }) => ({
        id,
        kind: texts.environments,
        title: `${nameOf(projectId)} / ${name}`,
        choose: () =>
          navigate({
            to: "/o/$org/environments/$project/$env/settings",
            params: { ...params, project: projectId, env: name },
          }),
      })),
    ),
    agents: agents.flatMap(({ data }) =>
      (data?.agents ?? []).map(({ id, name, key, projectId }) => ({
        id,
        kind: texts.agents,
        title: name === key ? name : `${name} · ${key}`,
        choose: () =>
          navigate({ to: "/o/$org/traces", params, search: { project: projectId, agent: key, range: "30d" } }),
      })),
    ),
  };
}

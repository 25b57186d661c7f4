// What the palette finds: what the page can do, pages, what an organization has, and traces by their id. Of what an
// organization has, the first page of each list is asked for once; where there is more, the server is asked for what is
// typed, and what was found stays until the answer comes.

import { createQueryOptions, useQuery } from "@connectrpc/connect-query";
import { useQueries } from "@tanstack/react-query";
import { useNavigate, useRouterState } from "@tanstack/react-router";
import { useRef } from "react";
import { AgentService } from "../../gen/policyguard/control/v1/agent_service_pb.ts";
import { EnvironmentService } from "../../gen/policyguard/control/v1/environment_service_pb.ts";
import { PackService } from "../../gen/policyguard/control/v1/pack_service_pb.ts";
import { PolicyService } from "../../gen/policyguard/control/v1/policy_service_pb.ts";
import type { Project } from "../../gen/policyguard/control/v1/project_pb.ts";
import { ProjectService } from "../../gen/policyguard/control/v1/project_service_pb.ts";
import { TeamService } from "../../gen/policyguard/control/v1/team_service_pb.ts";
import { isId } from "../data/id.ts";
import { useOrganization } from "../data/organization.ts";
import { useRested } from "../data/rested.ts";
import { transport } from "../data/transport.ts";
import { theme } from "../part/appearance.ts";
import { type Command, commands } from "../part/keys/shortcuts.ts";
import { en } from "../text/en.ts";
import { narrowed, useLookedAt } from "./looked-at.ts";
import { navigationPages } from "./pages.ts";
import { askedFor, exactFirst, matches, wordsOf } from "./palette-words.ts";

const texts = en.keys;
/** Entries of each kind, which is what one call answers at most. */
const limit = 200;
/** Projects whose environments and agents are found: the first ones, and as many by each word that is typed. */
const maxProjects = 20;
/** Words by which projects are asked for. */
const maxWords = 3;
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
  const stored = useStored(text);
  if (isId(id)) {
    const choose = () => navigate({ to: "/o/$org/traces/$trace", params: { org: orgId, trace: id } });
    return { found: [{ id, kind: en.nav.traces, title: texts.trace(id), choose }], isLoading: false };
  }
  const words = wordsOf(id);
  const found = [...(isLeaving ? [] : deedsHere()), ...pages, ...stored.entries, ...everywhere].filter(
    ({ title, kind }) => matches(words, title, kind),
  );
  return { found: exactFirst(found, id).slice(0, maxShown), isLoading: stored.isLoading };
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

/** Entries of what is stored, and whether more may come. */
interface Stored {
  readonly entries: readonly PaletteEntry[];
  readonly isLoading: boolean;
}

/** What the organization has. It is asked for once something is typed. */
function useStored(text: string): Stored {
  const enabled = text.trim() !== "";
  const rested = useRested(text);
  const words = wordsOf(rested);
  const parts = [
    usePolicies(words, enabled),
    usePacks(enabled),
    useOfProjects(words, enabled),
    useMembers(words, enabled),
  ];
  const isLoading = parts.some((part) => part.isLoading);
  const entries = parts.flatMap((part) => part.entries);
  // What an answer to a former text brought stays until the answers to this one are there.
  const kept = useRef(entries);
  const all = isLoading ? [...kept.current, ...entries] : entries;
  // Both the first page and an answer to a text may have the same one.
  kept.current = [...new Map(all.map((entry) => [entry.id, entry])).values()];
  return {
    entries: kept.current,
    isLoading: isLoading || (enabled && rested !== text && parts.some((part) => part.hasMore)),
  };
}

/** Entries of one kind; `hasMore` when the first page has not all of them, so that the text is asked for. */
interface Part extends Stored {
  readonly hasMore: boolean;
}

function usePolicies(words: readonly string[], enabled: boolean): Part {
  const { orgId, can } = useOrganization();
  const navigate = useNavigate();
  const { listPolicies } = PolicyService.method;
  const first = useQuery(listPolicies, { orgId, limit }, { enabled: enabled && can(listPolicies) });
  const hasMore = isBeyond(first.data?.total);
  const [query = ""] = askedFor(words, texts.policies);
  const asked = useQuery(listPolicies, { orgId, limit, query }, { enabled: enabled && hasMore && query !== "" });
  return {
    entries: [...(first.data?.policies ?? []), ...(asked.data?.policies ?? [])].map(({ id, name }) => ({
      id,
      kind: texts.policies,
      title: name,
      choose: () => navigate({ to: "/o/$org/policies/$policy", params: { org: orgId, policy: id } }),
    })),
    isLoading: first.isLoading || asked.isLoading,
    hasMore,
  };
}

/** Packs are files of the product: one page has them all. */
function usePacks(enabled: boolean): Part {
  const { orgId } = useOrganization();
  const navigate = useNavigate();
  const { data, isLoading } = useQuery(PackService.method.listPacks, { limit }, { enabled });
  return {
    entries: (data?.packs ?? []).map(({ name, displayName }) => ({
      id: `pack ${name}`,
      kind: texts.packs,
      title: displayName,
      choose: () => navigate({ to: "/o/$org/packs/$pack", params: { org: orgId, pack: name } }),
    })),
    isLoading,
    hasMore: false,
  };
}

function useMembers(words: readonly string[], enabled: boolean): Part {
  const { orgId, can } = useOrganization();
  const navigate = useNavigate();
  const { listMembers } = TeamService.method;
  const first = useQuery(listMembers, { orgId, limit }, { enabled: enabled && can(listMembers) });
  const hasMore = isBeyond(first.data?.total);
  const [query = ""] = askedFor(words, texts.members);
  const asked = useQuery(listMembers, { orgId, limit, query }, { enabled: enabled && hasMore && query !== "" });
  return {
    entries: [...(first.data?.members ?? []), ...(asked.data?.members ?? [])].map(({ id, name, email }) => ({
      id,
      kind: texts.members,
      title: name === undefined ? email : `${name} · ${email}`,
      choose: () => navigate({ to: "/o/$org/settings/team", params: { org: orgId } }),
    })),
    isLoading: first.isLoading || asked.isLoading,
    hasMore,
  };
}

/** The environments and agents of the first projects, and of those that a word that is typed finds. */
function useOfProjects(words: readonly string[], enabled: boolean): Part {
  const { orgId } = useOrganization();
  const { listProjects } = ProjectService.method;
  const first = useQuery(listProjects, { orgId, limit }, { enabled });
  const hasMore = (first.data?.total ?? 0) > maxProjects;
  const asked = useQueries({
    queries: (enabled && hasMore ? askedFor(words, texts.environments).slice(0, maxWords) : []).map((query) =>
      createQueryOptions(listProjects, { orgId, limit: maxProjects, query }, { transport }),
    ),
  });
  const found = asked.flatMap(({ data }) => data?.projects ?? []);
  const all = enabled ? [...(first.data?.projects ?? []).slice(0, maxProjects), ...found] : [];
  const projects = [...new Map(all.map((project) => [project.id, project])).values()];
  const environments = useEnvironmentsOf(projects);
  const agents = useAgentsOf(projects, words);
  return {
    entries: [...environments.entries, ...agents.entries],
    isLoading: [first, ...asked, environments, agents].some(({ isLoading }) => isLoading),
    hasMore: hasMore || agents.hasMore,
  };
}

function useEnvironmentsOf(projects: readonly Project[]): Stored {
  const { orgId } = useOrganization();
  const navigate = useNavigate();
  const { listEnvironments } = EnvironmentService.method;
  const answers = useQueries({
    queries: projects.map(({ id: projectId }) =>
      createQueryOptions(listEnvironments, { orgId, projectId }, { transport }),
    ),
  });
  const entries = answers.flatMap(({ data }, at) =>
    (data?.environments ?? []).map(({ id, name, projectId }) => ({
      id,
      kind: texts.environments,
      title: `${projects[at]?.name ?? ""} / ${name}`,
      choose: () =>
        navigate({
          to: "/o/$org/environments/$project/$env/settings",
          params: { org: orgId, project: projectId, env: name },
        }),
    })),
  );
  return { entries, isLoading: answers.some(({ isLoading }) => isLoading) };
}

function useAgentsOf(projects: readonly Project[], words: readonly string[]): Part {
  const { orgId, can } = useOrganization();
  const navigate = useNavigate();
  const { listAgents } = AgentService.method;
  const [query = ""] = askedFor(words, texts.agents);
  const first = useQueries({
    queries: (can(listAgents) ? projects : []).map(({ id: projectId }) =>
      createQueryOptions(listAgents, { orgId, projectId, limit }, { transport }),
    ),
  });
  const large = projects.filter((_, at) => isBeyond(first[at]?.data?.total));
  const asked = useQueries({
    queries: (query === "" ? [] : large).map(({ id: projectId }) =>
      createQueryOptions(listAgents, { orgId, projectId, limit, query }, { transport }),
    ),
  });
  const answers = [...first, ...asked];
  const entries = answers.flatMap(({ data }) =>
    (data?.agents ?? []).map(({ id, name, key, projectId }) => ({
      id,
      kind: texts.agents,
      title: name === key ? name : `${name} · ${key}`,
      choose: () =>
        navigate({
          to: "/o/$org/traces",
          params: { org: orgId },
          search: { project: projectId, agent: key, range: "30d" },
        }),
    })),
  );
  return { entries, isLoading: answers.some(({ isLoading }) => isLoading), hasMore: large.length > 0 };
}

/** Whether a list has more than its first page. */
function isBeyond(total: number | undefined): boolean {
  return (total ?? 0) > limit;
}

// The agents of a project.

/** The texts of the page of agents. */
export const agentTexts = {
  title: "Agents",
  filter: "Filter agents",
  noMatch: "No agent matches.",
  text: "An agent is a part of an application that asks under its own name. Nobody creates it: it appears with its first evaluation.",
  empty: "No agent yet",
  emptyText: "Send agent_id with an evaluation, and the agent appears here a moment later.",
  name: "Name",
  first: "First seen",
  last: "Last seen",
  traces: "Traces",
  tracesOf: (name: string) => `Traces of ${name}`,
  analytics: "Analytics",
  analyticsOf: (name: string) => `Analytics of ${name}`,
  fleet: "Runtimes of the project",
  deedsOf: (name: string) => `Change ${name}`,
  rename: "Rename…",
  renameTitle: (key: string) => `Rename ${key}`,
  renameText: "The key stays, since applications send it and policies name it.",
  confirmRename: "Rename",
  delete: "Delete…",
  deleteTitle: (name: string) => `Delete ${name}?`,
  deleteText:
    "Its traces stay. When its key is used again, it appears under a new id. Policies that name its key keep applying.",
  confirmDelete: "Delete the agent",
};

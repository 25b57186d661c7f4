// The organization itself: name, projects, how long things are kept.

import { counted } from "./format.ts";

/** The texts of the page of settings. */
export const settingTexts = {
  title: "Organization",
  about: "Name and mail",
  name: "Name",
  billingEmail: "Mail about plans and payments",
  securityEmail: "Mail about security",
  mailHint: "Besides owners and admins. Empty: to them only.",
  id: "Identifier",
  since: "Since",
  projects: "Projects",
  projectsText: "A project is one application, with its environments.",
  noProjects: "No project yet.",
  project: "Project",
  description: "Description",
  changed: "Changed",
  create: "New project…",
  createTitle: "New project",
  createText: "It begins with the environments dev, staging and prod, of which prod is protected.",
  confirmCreate: "Create the project",
  edit: "Edit…",
  editTitle: (name: string) => `Edit ${name}`,
  editOf: (name: string) => `Edit ${name}`,
  delete: "Delete…",
  deleteOf: (name: string) => `Delete ${name}`,
  deleteTitle: (name: string) => `Delete ${name}?`,
  deleteText:
    "Its environments, bundles, agents and tokens go at once. Runtimes that call with its tokens are refused. Traces stay until their time ends.",
  deleteForce: "Also when it has an active bundle",
  confirmDelete: "Delete the project",
  environments: "Environments",
  retention: "How long things are kept",
  retentionText: "What is older goes with the next nightly job.",
  traceDays: "Traces, in days",
  textDays: "Their text, in days",
  evidenceDays: "Log of changes, in days",
  planHint: (max: number) => `Empty: as long as the plan allows, ${counted(max, "day", "days")}.`,
  textHint: (effective: number) =>
    `Empty: 30 days. Now ${counted(effective, "day", "days")}; never longer than its traces.`,
  shorter: "Shorter times delete what is older, for good.",
  danger: "Delete the organization",
  dangerText:
    "Everything goes: members, projects, policies, bundles, tokens and the log of changes at once, traces within a day.",
  deleteOrganization: "Delete the organization…",
  deleteOrganizationTitle: (name: string) => `Delete ${name}?`,
  deleteOrganizationText: "Nobody can take this back. Runtimes stop getting bundles, and webhooks stop.",
  confirmDeleteOrganization: "Delete everything",
};

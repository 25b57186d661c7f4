// Every entity of the schema.

import { AgentRow } from "./agent.ts";
import { AuditEntryRow, AuditHeadRow } from "./audit-entry.ts";
import { ActivationRow, BundlePartRow, BundleRow, SigningKeyRow } from "./bundle.ts";
import { EnvironmentRow } from "./environment.ts";
import { OrganizationRow } from "./organization.ts";
import { PolicyRow, PolicyVersionRow } from "./policy.ts";
import { ProjectRow } from "./project.ts";
import { TokenRow } from "./token.ts";

/** Entities in the order of their dependence. */
export const entities = [
  OrganizationRow,
  ProjectRow,
  EnvironmentRow,
  AgentRow,
  TokenRow,
  AuditHeadRow,
  AuditEntryRow,
  PolicyRow,
  PolicyVersionRow,
  BundleRow,
  BundlePartRow,
  ActivationRow,
  SigningKeyRow,
];

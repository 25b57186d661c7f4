// Every entity of the schema.

import { AccountRow } from "./account.ts";
import { AddressLimitRow } from "./address-limit.ts";
import { AgentRow } from "./agent.ts";
import { AuditEntryRow, AuditHeadRow } from "./audit-entry.ts";
import { ActivationRow, BundlePartRow, BundleRow, KeySetRow, SigningKeyRow } from "./bundle.ts";
import { BundleApprovalRow } from "./bundle-approval.ts";
import { CandidateCountRow, CandidateRow, CandidateSampleRow } from "./candidate.ts";
import { DetectorBackendRow } from "./detector-backend.ts";
import { EnvironmentRow } from "./environment.ts";
import { EvaluationKeyRow } from "./evaluation-key.ts";
import { EventRow } from "./event.ts";
import { JoinRequestRow } from "./join-request.ts";
import { ListRow } from "./list.ts";
import { LoginFailureRow } from "./login-failure.ts";
import { MemberRow } from "./member.ts";
import { OneTimeTokenRow } from "./one-time-token.ts";
import { OrganizationRow } from "./organization.ts";
import { OrganizationSecretRow } from "./organization-secret.ts";
import { OutputSchemaRow } from "./output-schema.ts";
import { PolicyRow, PolicyVersionRow } from "./policy.ts";
import { PolicyDetectorRow } from "./policy-detector.ts";
import { PolicyPackRow } from "./policy-pack.ts";
import { ProjectRow } from "./project.ts";
import { QuotaLeaseRow } from "./quota-lease.ts";
import { RecoveryCodeRow } from "./recovery-code.ts";
import { ReportingGapRow } from "./reporting-gap.ts";
import { RuntimeInstanceRow } from "./runtime-instance.ts";
import { SessionRow, SessionTokenRow } from "./session.ts";
import { SsoRow } from "./sso.ts";
import { SsoDomainRow } from "./sso-domain.ts";
import { SsoIdentityRow } from "./sso-identity.ts";
import { SsoLoginRow } from "./sso-login.ts";
import { TokenRow } from "./token.ts";
import { TraceRow, TraceRuleRow } from "./trace.ts";
import { TraceRollupRow } from "./trace-rollup.ts";
import { UsageMonthRow } from "./usage.ts";
import { WebhookRow } from "./webhook.ts";
import { WebhookAttemptRow } from "./webhook-attempt.ts";
import { WebhookDeliveryRow } from "./webhook-delivery.ts";
import { WorkerPoolRow } from "./worker-pool.ts";

/** Entities in the order of their dependence. */
export const entities = [
  OrganizationRow,
  AccountRow,
  SessionRow,
  SessionTokenRow,
  OneTimeTokenRow,
  RecoveryCodeRow,
  LoginFailureRow,
  AddressLimitRow,
  MemberRow,
  JoinRequestRow,
  SsoRow,
  SsoDomainRow,
  SsoLoginRow,
  SsoIdentityRow,
  ProjectRow,
  EnvironmentRow,
  AgentRow,
  TokenRow,
  AuditHeadRow,
  AuditEntryRow,
  PolicyRow,
  PolicyVersionRow,
  PolicyDetectorRow,
  PolicyPackRow,
  ListRow,
  OutputSchemaRow,
  DetectorBackendRow,
  BundleRow,
  BundlePartRow,
  ActivationRow,
  SigningKeyRow,
  KeySetRow,
  BundleApprovalRow,
  CandidateRow,
  CandidateCountRow,
  CandidateSampleRow,
  OrganizationSecretRow,
  EvaluationKeyRow,
  TraceRow,
  TraceRuleRow,
  TraceRollupRow,
  UsageMonthRow,
  QuotaLeaseRow,
  RuntimeInstanceRow,
  ReportingGapRow,
  WebhookRow,
  EventRow,
  WebhookDeliveryRow,
  WebhookAttemptRow,
  WorkerPoolRow,
];

// Every entity of the schema.

import { AlertGroupRow, AlertRow, AlertRuleRow } from "../alert/alert-rule.ts";
import { BillingIntentRow } from "../billing/billing-intent.ts";
import { BillingNoticeRow } from "../billing/billing-notice.ts";
import { CheckoutRow } from "../billing/checkout.ts";
import { InvoiceLineRow, InvoiceRow } from "../billing/invoice.ts";
import { ProviderEventRow } from "../billing/provider-event.ts";
import { QuotaLeaseRow } from "../billing/quota-lease.ts";
import { SubscriptionRow } from "../billing/subscription.ts";
import { UsageMonthRow } from "../billing/usage.ts";
import { UsageDayRow } from "../billing/usage-day.ts";
import { UsageNoticeRow } from "../billing/usage-notice.ts";
import { BundleApprovalRow } from "../bundle/approval.ts";
import { ActivationRow, BundlePartRow, BundleRow, KeySetRow, SigningKeyRow } from "../bundle/bundle.ts";
import { CandidateCountRow, CandidateRow, CandidateSampleRow } from "../bundle/candidate.ts";
import { GateSetRow } from "../bundle/gate.ts";
import { GateContentRow, GateResultRow } from "../bundle/gate-result.ts";
import { RuleOverrideRow } from "../bundle/override.ts";
import { ProcessHeartbeatRow } from "../core/process-heartbeat.ts";
import { WorkerPoolRow } from "../core/worker-pool.ts";
import { EventRow } from "../event/event.ts";
import { ReportBootRow } from "../fleet/report-boot.ts";
import { ReportingGapRow } from "../fleet/reporting-gap.ts";
import { RuntimeInstanceRow } from "../fleet/runtime-instance.ts";
import { AccountRow } from "../identity/account.ts";
import { AddressLimitRow } from "../identity/address-limit.ts";
import { JoinRequestRow } from "../identity/join-request.ts";
import { LoginFailureRow } from "../identity/login-failure.ts";
import { MemberRow } from "../identity/member.ts";
import { OneTimeTokenRow } from "../identity/one-time-token.ts";
import { RecoveryCodeRow } from "../identity/recovery-code.ts";
import { SessionRow, SessionTokenRow } from "../identity/session.ts";
import { SsoRow } from "../identity/sso.ts";
import { SsoDomainRow } from "../identity/sso-domain.ts";
import { SsoIdentityRow } from "../identity/sso-identity.ts";
import { SsoLoginRow } from "../identity/sso-login.ts";
import { TokenRow } from "../identity/token.ts";
import { CustomKeywordsRow } from "../language/custom-keywords.ts";
import { EnabledLanguageRow } from "../language/enabled-language.ts";
import { AnnotationRow } from "../measure/annotation/annotation.ts";
import { AnnotationQueueRow } from "../measure/annotation/annotation-queue.ts";
import { AnnotationRateRow } from "../measure/annotation/annotation-rate.ts";
import { AnnotationSettingRow } from "../measure/annotation/annotation-setting.ts";
import { AnnotationVerdictRow } from "../measure/annotation/annotation-verdict.ts";
import { BenchmarkBaselineRow } from "../measure/benchmark/benchmark-baseline.ts";
import { BenchmarkResultRow } from "../measure/benchmark/benchmark-result.ts";
import { DatasetRow, DatasetVersionRow } from "../measure/dataset/dataset.ts";
import { DatasetImportRow } from "../measure/dataset/dataset-import.ts";
import { DatasetSampleRow } from "../measure/dataset/dataset-sample.ts";
import { DatasetSubjectRow } from "../measure/dataset/dataset-subject.ts";
import { DetectorBackendRow } from "../policy/detector-backend.ts";
import { ListRow } from "../policy/list.ts";
import { OutputSchemaRow } from "../policy/output-schema.ts";
import { PolicyRow, PolicyVersionRow } from "../policy/policy.ts";
import { PolicyDetectorRow } from "../policy/policy-detector.ts";
import { PolicyPackRow } from "../policy/policy-pack.ts";
import { AgentRow } from "../project/agent.ts";
import { EnvironmentRow } from "../project/environment.ts";
import { ProjectRow } from "../project/project.ts";
import { ReplayResultRow } from "../replay/replay-result.ts";
import { RunRow } from "../run/run.ts";
import { SchemaContractRow } from "../schema/phase.ts";
import { ScimGroupMemberRow, ScimGroupRow, ScimSettingRow } from "../scim/scim-group.ts";
import { ScimUserAddressRow, ScimUserRow } from "../scim/scim-user.ts";
import { AuditEntryRow, AuditHeadRow } from "../telemetry/audit-entry.ts";
import { AuditOpeningRow } from "../telemetry/audit-opening.ts";
import { ErasedSubjectRow } from "../telemetry/erased-subject.ts";
import { EvaluationKeyRow } from "../telemetry/evaluation-key.ts";
import {
  AuditCheckpointRow,
  AuditEpochRow,
  AuditLogRow,
  AuditTileRow,
  InstallationRow,
} from "../telemetry/evidence-log.ts";
import {
  StatLatencyRow,
  StatLossRow,
  StatOutcomeRow,
  StatRuleRow,
  StatUnjudgedRow,
  StatVersionRow,
} from "../telemetry/stat-cube.ts";
import { StatDeltaRow } from "../telemetry/stat-delta.ts";
import { TraceRow } from "../telemetry/trace.ts";
import { TraceFacetRow } from "../telemetry/trace-facet.ts";
import { TraceRollupRow } from "../telemetry/trace-rollup.ts";
import { TraceTextRow } from "../telemetry/trace-text.ts";
import { OrganizationRow } from "../tenancy/organization.ts";
import { OrganizationSecretRow } from "../tenancy/organization-secret.ts";
import { WebhookAttemptRow } from "../webhook/attempt.ts";
import { WebhookDeliveryRow } from "../webhook/delivery.ts";
import { WebhookRow } from "../webhook/webhook.ts";

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
  AlertGroupRow,
  AlertRow,
  AlertRuleRow,
  ScimUserAddressRow,
  ScimUserRow,
  ScimGroupRow,
  ScimGroupMemberRow,
  ScimSettingRow,
  ProjectRow,
  EnvironmentRow,
  AgentRow,
  TokenRow,
  AuditHeadRow,
  AuditEntryRow,
  AuditOpeningRow,
  InstallationRow,
  AuditLogRow,
  AuditTileRow,
  AuditCheckpointRow,
  AuditEpochRow,
  PolicyRow,
  PolicyVersionRow,
  PolicyDetectorRow,
  PolicyPackRow,
  ListRow,
  OutputSchemaRow,
  DetectorBackendRow,
  EnabledLanguageRow,
  CustomKeywordsRow,
  BundleRow,
  BundlePartRow,
  ActivationRow,
  SigningKeyRow,
  KeySetRow,
  BundleApprovalRow,
  CandidateRow,
  RuleOverrideRow,
  CandidateCountRow,
  CandidateSampleRow,
  GateSetRow,
  GateContentRow,
  GateResultRow,
  OrganizationSecretRow,
  EvaluationKeyRow,
  TraceRow,
  TraceFacetRow,
  TraceTextRow,
  TraceRollupRow,
  StatDeltaRow,
  StatOutcomeRow,
  StatRuleRow,
  StatLatencyRow,
  StatUnjudgedRow,
  StatVersionRow,
  StatLossRow,
  UsageDayRow,
  ErasedSubjectRow,
  RunRow,
  DatasetRow,
  DatasetVersionRow,
  DatasetSampleRow,
  DatasetImportRow,
  DatasetSubjectRow,
  AnnotationRow,
  AnnotationVerdictRow,
  AnnotationSettingRow,
  AnnotationRateRow,
  AnnotationQueueRow,
  BenchmarkBaselineRow,
  BenchmarkResultRow,
  ReplayResultRow,
  UsageMonthRow,
  UsageNoticeRow,
  SubscriptionRow,
  CheckoutRow,
  InvoiceRow,
  InvoiceLineRow,
  BillingNoticeRow,
  BillingIntentRow,
  ProviderEventRow,
  QuotaLeaseRow,
  RuntimeInstanceRow,
  ReportBootRow,
  ReportingGapRow,
  WebhookRow,
  EventRow,
  WebhookDeliveryRow,
  WebhookAttemptRow,
  WorkerPoolRow,
  ProcessHeartbeatRow,
  SchemaContractRow,
];

// The services of the control plane, in the order of its documents.

import { AccountService } from "../gen/policyguard/control/v1/account_service_pb.ts";
import { AgentService } from "../gen/policyguard/control/v1/agent_service_pb.ts";
import { AlertService } from "../gen/policyguard/control/v1/alert_service_pb.ts";
import { AnnotationService } from "../gen/policyguard/control/v1/annotation_service_pb.ts";
import { BenchmarkService } from "../gen/policyguard/control/v1/benchmark_service_pb.ts";
import { BillingService } from "../gen/policyguard/control/v1/billing_service_pb.ts";
import { BundleService } from "../gen/policyguard/control/v1/bundle_service_pb.ts";
import { CalibrationService } from "../gen/policyguard/control/v1/calibration_service_pb.ts";
import { DatasetService } from "../gen/policyguard/control/v1/dataset_service_pb.ts";
import { DetectorBackendService } from "../gen/policyguard/control/v1/detector_backend_service_pb.ts";
import { EnvironmentService } from "../gen/policyguard/control/v1/environment_service_pb.ts";
import { ErasureService } from "../gen/policyguard/control/v1/erasure_service_pb.ts";
import { EventService } from "../gen/policyguard/control/v1/event_service_pb.ts";
import { EvidenceService } from "../gen/policyguard/control/v1/evidence_service_pb.ts";
import { GateService } from "../gen/policyguard/control/v1/gate_service_pb.ts";
import { HubService } from "../gen/policyguard/control/v1/hub_service_pb.ts";
import { LanguageService } from "../gen/policyguard/control/v1/language_service_pb.ts";
import { ListService } from "../gen/policyguard/control/v1/list_service_pb.ts";
import { OrganizationService } from "../gen/policyguard/control/v1/organization_service_pb.ts";
import { OutputSchemaService } from "../gen/policyguard/control/v1/output_schema_service_pb.ts";
import { OverrideService } from "../gen/policyguard/control/v1/override_service_pb.ts";
import { PackService } from "../gen/policyguard/control/v1/pack_service_pb.ts";
import { PolicyService } from "../gen/policyguard/control/v1/policy_service_pb.ts";
import { ProjectService } from "../gen/policyguard/control/v1/project_service_pb.ts";
import { ReplayService } from "../gen/policyguard/control/v1/replay_service_pb.ts";
import { RetentionService } from "../gen/policyguard/control/v1/retention_service_pb.ts";
import { RuntimeInstanceService } from "../gen/policyguard/control/v1/runtime_instance_service_pb.ts";
import { ScimService } from "../gen/policyguard/control/v1/scim_service_pb.ts";
import { SigningKeyService } from "../gen/policyguard/control/v1/signing_key_service_pb.ts";
import { SsoService } from "../gen/policyguard/control/v1/sso_service_pb.ts";
import { TeamService } from "../gen/policyguard/control/v1/team_service_pb.ts";
import { TokenService } from "../gen/policyguard/control/v1/token_service_pb.ts";
import { TraceService } from "../gen/policyguard/control/v1/trace_service_pb.ts";
import { WebhookService } from "../gen/policyguard/control/v1/webhook_service_pb.ts";
import { ReportingService } from "../gen/policyguard/runtime/v1/reporting_service_pb.ts";

/** Every service of the control plane. EvaluationService is not among them: prompts never come here. */
export const controlServices = [
  AccountService,
  TeamService,
  OrganizationService,
  ProjectService,
  EnvironmentService,
  AgentService,
  TokenService,
  SsoService,
  ScimService,
  PolicyService,
  ListService,
  OutputSchemaService,
  DetectorBackendService,
  BundleService,
  GateService,
  SigningKeyService,
  RuntimeInstanceService,
  AlertService,
  WebhookService,
  EventService,
  HubService,
  OverrideService,
  PackService,
  LanguageService,
  TraceService,
  AnnotationService,
  ReplayService,
  ErasureService,
  RetentionService,
  EvidenceService,
  BenchmarkService,
  CalibrationService,
  DatasetService,
  BillingService,
  ReportingService,
];

// The services of the control plane, and who answers their calls.

import type { ConnectRouter } from "@connectrpc/connect";
import { AccountService } from "../gen/policyguard/control/v1/account_service_pb.ts";
import { AgentService } from "../gen/policyguard/control/v1/agent_service_pb.ts";
import { BundleService } from "../gen/policyguard/control/v1/bundle_service_pb.ts";
import { DetectorBackendService } from "../gen/policyguard/control/v1/detector_backend_service_pb.ts";
import { EnvironmentService } from "../gen/policyguard/control/v1/environment_service_pb.ts";
import { EventService } from "../gen/policyguard/control/v1/event_service_pb.ts";
import { HubService } from "../gen/policyguard/control/v1/hub_service_pb.ts";
import { ListService } from "../gen/policyguard/control/v1/list_service_pb.ts";
import { OrganizationService } from "../gen/policyguard/control/v1/organization_service_pb.ts";
import { OutputSchemaService } from "../gen/policyguard/control/v1/output_schema_service_pb.ts";
import { PackService } from "../gen/policyguard/control/v1/pack_service_pb.ts";
import { PolicyService } from "../gen/policyguard/control/v1/policy_service_pb.ts";
import { ProjectService } from "../gen/policyguard/control/v1/project_service_pb.ts";
import { RuntimeInstanceService } from "../gen/policyguard/control/v1/runtime_instance_service_pb.ts";
import { SigningKeyService } from "../gen/policyguard/control/v1/signing_key_service_pb.ts";
import { SsoService } from "../gen/policyguard/control/v1/sso_service_pb.ts";
import { TeamService } from "../gen/policyguard/control/v1/team_service_pb.ts";
import { TokenService } from "../gen/policyguard/control/v1/token_service_pb.ts";
import { TraceService } from "../gen/policyguard/control/v1/trace_service_pb.ts";
import { WebhookService } from "../gen/policyguard/control/v1/webhook_service_pb.ts";
import { ReportingService } from "../gen/policyguard/runtime/v1/reporting_service_pb.ts";
import type { Domain } from "./control-domain.ts";
import { accountHandlers } from "./rpc/account.ts";
import { agentHandlers } from "./rpc/agent.ts";
import { bundleHandlers } from "./rpc/bundle.ts";
import { detectorBackendHandlers } from "./rpc/detector-backend.ts";
import { environmentHandlers } from "./rpc/environment.ts";
import { eventHandlers } from "./rpc/event.ts";
import { hubHandlers } from "./rpc/hub.ts";
import { invitationHandlers } from "./rpc/invitation.ts";
import { listHandlers } from "./rpc/list.ts";
import { organizationHandlers } from "./rpc/organization.ts";
import { outputSchemaHandlers } from "./rpc/output-schema.ts";
import { packHandlers } from "./rpc/pack.ts";
import { playgroundHandlers } from "./rpc/playground.ts";
import { policyHandlers } from "./rpc/policy.ts";
import { historyHandlers } from "./rpc/policy-history.ts";
import { projectHandlers } from "./rpc/project.ts";
import { reportingHandlers } from "./rpc/reporting.ts";
import { runtimeInstanceHandlers } from "./rpc/runtime-instance.ts";
import { signingKeyHandlers } from "./rpc/signing-key.ts";
import { ssoHandlers } from "./rpc/sso.ts";
import { teamHandlers } from "./rpc/team.ts";
import { tokenHandlers } from "./rpc/token.ts";
import { traceHandlers } from "./rpc/trace.ts";
import { webhookHandlers } from "./rpc/webhook.ts";

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
  PolicyService,
  ListService,
  OutputSchemaService,
  DetectorBackendService,
  BundleService,
  SigningKeyService,
  RuntimeInstanceService,
  WebhookService,
  EventService,
  HubService,
  PackService,
  TraceService,
  ReportingService,
];

/** Serves each of them. `shutdown` ends calls that wait. */
export function register(router: ConnectRouter, domain: Domain, shutdown: AbortSignal): void {
  router.service(AccountService, { ...accountHandlers(domain), ...invitationHandlers(domain.invitations) });
  router.service(TeamService, teamHandlers(domain, controlServices));
  router.service(OrganizationService, organizationHandlers(domain));
  router.service(ProjectService, projectHandlers(domain.projects));
  router.service(EnvironmentService, environmentHandlers(domain.environments));
  router.service(AgentService, agentHandlers(domain.agents));
  router.service(TokenService, tokenHandlers(domain.tokens));
  router.service(SsoService, ssoHandlers(domain));
  router.service(PolicyService, {
    ...policyHandlers(domain.policies),
    ...historyHandlers(domain.history),
    ...playgroundHandlers(domain.playground),
  });
  router.service(ListService, listHandlers(domain.lists));
  router.service(OutputSchemaService, outputSchemaHandlers(domain.outputSchemas));
  router.service(DetectorBackendService, detectorBackendHandlers(domain.detectorBackends));
  router.service(BundleService, bundleHandlers(domain, shutdown));
  router.service(SigningKeyService, signingKeyHandlers(domain.keyRotation));
  router.service(RuntimeInstanceService, runtimeInstanceHandlers(domain.runtimes));
  router.service(WebhookService, webhookHandlers(domain));
  router.service(EventService, eventHandlers(domain.events));
  router.service(HubService, hubHandlers(domain.detectors));
  router.service(PackService, packHandlers(domain));
  router.service(TraceService, traceHandlers(domain.traces));
  router.service(ReportingService, reportingHandlers(domain));
}

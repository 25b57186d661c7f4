// The services of this room: policies and what they refer to. PolicyService has the playground's methods too.

import type { ConnectRouter } from "@connectrpc/connect";
import { DetectorBackendService } from "../../../gen/policyguard/control/v1/detector_backend_service_pb.ts";
import { HubService } from "../../../gen/policyguard/control/v1/hub_service_pb.ts";
import { ListService } from "../../../gen/policyguard/control/v1/list_service_pb.ts";
import { OutputSchemaService } from "../../../gen/policyguard/control/v1/output_schema_service_pb.ts";
import { PackService } from "../../../gen/policyguard/control/v1/pack_service_pb.ts";
import { PolicyService } from "../../../gen/policyguard/control/v1/policy_service_pb.ts";
import type { Playground } from "../../domain/playground/playground.ts";
import type { DetectorCatalog } from "../../domain/policy/detector.ts";
import type { DetectorBackends } from "../../domain/policy/detector-backend.ts";
import type { PolicyHistory } from "../../domain/policy/history.ts";
import type { Lists } from "../../domain/policy/list.ts";
import type { OutputSchemas } from "../../domain/policy/output-schema.ts";
import type { Policies } from "../../domain/policy/policy.ts";
import { playgroundHandlers } from "../playground/playground.ts";
import { detectorBackendHandlers } from "./detector-backend.ts";
import { historyHandlers } from "./history.ts";
import { hubHandlers } from "./hub.ts";
import { listHandlers } from "./list.ts";
import { outputSchemaHandlers } from "./output-schema.ts";
import { type PackDomain, packHandlers } from "./pack.ts";
import { policyHandlers } from "./policy.ts";

/** What the handlers call. */
export interface PolicyDomain extends PackDomain {
  readonly policies: Policies;
  readonly history: PolicyHistory;
  readonly playground: Playground;
  readonly lists: Lists;
  readonly outputSchemas: OutputSchemas;
  readonly detectorBackends: DetectorBackends;
  readonly detectors: DetectorCatalog;
}

/** Registers the services. */
export function registerPolicyServices(router: ConnectRouter, domain: PolicyDomain): void {
  router.service(PolicyService, {
    ...policyHandlers(domain.policies),
    ...historyHandlers(domain.history),
    ...playgroundHandlers(domain.playground),
  });
  router.service(ListService, listHandlers(domain.lists));
  router.service(OutputSchemaService, outputSchemaHandlers(domain.outputSchemas));
  router.service(DetectorBackendService, detectorBackendHandlers(domain.detectorBackends));
  router.service(HubService, hubHandlers(domain.detectors));
  router.service(PackService, packHandlers(domain));
}

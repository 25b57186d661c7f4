// The rooms of the control plane's handlers. Each registers its services in its module.ts.

import type { ConnectRouter } from "@connectrpc/connect";
import { messageEncoder } from "../gateway/json/encode.ts";
import { BenchmarkReportSchema } from "../gen/policyguard/control/v1/benchmark_pb.ts";
import { SampleSchema } from "../gen/policyguard/control/v1/dataset_sample_pb.ts";
import { TraceSchema } from "../gen/policyguard/control/v1/trace_pb.ts";
import type { Domain } from "./control-domain.ts";
import { controlServices } from "./control-services.ts";
import type { Clock } from "./kit/process/clock.ts";
import { registerAlertServices } from "./rpc/alert/module.ts";
import { registerBillingServices } from "./rpc/billing/module.ts";
import { registerBundleServices } from "./rpc/bundle/module.ts";
import { registerEventServices } from "./rpc/event/module.ts";
import { registerFleetServices } from "./rpc/fleet/module.ts";
import { registerIdentityServices } from "./rpc/identity/module.ts";
import { registerLanguageServices } from "./rpc/language/module.ts";
import { registerMeasureServices } from "./rpc/measure/module.ts";
import { registerPolicyServices } from "./rpc/policy/module.ts";
import { registerProjectServices } from "./rpc/project/module.ts";
import { registerReplayServices } from "./rpc/replay/module.ts";
import { registerScimServices } from "./rpc/scim/module.ts";
import { registerTelemetryServices } from "./rpc/telemetry/module.ts";
import { registerTenancyServices } from "./rpc/tenancy/module.ts";
import { registerWebhookServices } from "./rpc/webhook/module.ts";

/** What the handlers need besides the domain. */
export interface RouteParts {
  /** Ends calls that wait. */
  readonly shutdown: AbortSignal;
  readonly clock: Clock;
  /** Where browsers reach the service. */
  readonly publicUrl: string;
}

/** Registers the handlers of every service. */
export function register(router: ConnectRouter, domain: Domain, { shutdown, clock, publicUrl }: RouteParts): void {
  registerIdentityServices(router, domain, { services: controlServices, publicUrl });
  registerTenancyServices(router, domain);
  registerScimServices(router, domain);
  registerProjectServices(router, domain);
  registerPolicyServices(router, domain);
  registerLanguageServices(router, domain);
  registerBundleServices(router, domain, { shutdown });
  registerFleetServices(router, domain, { clock });
  registerBillingServices(router, domain);
  registerTelemetryServices(router, domain, { writeTrace: messageEncoder(TraceSchema) });
  registerMeasureServices(router, domain, {
    writeSample: messageEncoder(SampleSchema),
    writeReport: messageEncoder(BenchmarkReportSchema),
  });
  registerReplayServices(router, domain);
  registerAlertServices(router, domain);
  registerWebhookServices(router, domain);
  registerEventServices(router, domain);
}

// Who may call methods that others define: their definitions cannot carry this project's options.

import { AccessPreset } from "../../../gen/policyguard/options/v1/options_pb.ts";

/** The access preset of each such method, by "service/method". */
export const foreignAccess: ReadonlyMap<string, AccessPreset> = new Map([
  ["envoy.service.ext_proc.v3.ExternalProcessor/Process", AccessPreset.RUNTIMES],
]);

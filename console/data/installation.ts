import { createQueryOptions } from "@connectrpc/connect-query";
import { AccountService } from "../../gen/policyguard/control/v1/account_service_pb.ts";
import { transport } from "./transport.ts";

/** What everybody may know of this installation. It changes with a restart only. */
export const installationQuery = {
  ...createQueryOptions(AccountService.method.getInstallation, {}, { transport }),
  staleTime: Number.POSITIVE_INFINITY,
};

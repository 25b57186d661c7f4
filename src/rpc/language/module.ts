// The services of this room: language packs.

import type { ConnectRouter } from "@connectrpc/connect";
import { LanguageService } from "../../../gen/policyguard/control/v1/language_service_pb.ts";
import type { Languages } from "../../domain/language/language.ts";
import { languageHandlers } from "./language.ts";

/** Registers the services. */
export function registerLanguageServices(
  router: ConnectRouter,
  { languages }: { readonly languages: Languages },
): void {
  router.service(LanguageService, languageHandlers(languages));
}

// The services of this room: language packs.

import type { ConnectRouter } from "@connectrpc/connect";
import { LanguageService } from "../../../gen/policyguard/control/v1/language_service_pb.ts";
import type { LanguageCoverage } from "../../domain/language/coverage.ts";
import type { Languages } from "../../domain/language/language.ts";
import { languageHandlers } from "./language.ts";

/** Registers the services. */
export function registerLanguageServices(
  router: ConnectRouter,
  { languages, languageCoverage }: { readonly languages: Languages; readonly languageCoverage: LanguageCoverage },
): void {
  router.service(LanguageService, languageHandlers(languages, languageCoverage));
}

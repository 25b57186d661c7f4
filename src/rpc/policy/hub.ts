import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import type { CatalogDetectorSchema } from "../../../gen/policyguard/control/v1/hub_pb.ts";
import type { HubService } from "../../../gen/policyguard/control/v1/hub_service_pb.ts";
import type { CatalogEntry, DetectorCatalog } from "../../domain/policy/detector.ts";
import { pageOf } from "../../kit/rpc/page.ts";

/** Handlers of HubService. */
export function hubHandlers(detectors: DetectorCatalog): ServiceImpl<typeof HubService> {
  return {
    listDetectors: async (request) => {
      const page = pageOf(request);
      const [entries, total] = await detectors.list(request, page);
      return { total, ...page, detectors: entries.map(detectorMessage) };
    },
    getDetector: async ({ detectorId }) => ({ detector: detectorMessage(await detectors.get(detectorId)) }),
  };
}

function detectorMessage({ definition, ...entry }: CatalogEntry): MessageInitShape<typeof CatalogDetectorSchema> {
  return {
    id: entry.id,
    name: definition.id,
    displayName: definition.displayName,
    description: definition.description,
    version: definition.version,
    author: entry.author,
    category: definition.category,
    tags: [...definition.tags],
    trustLevel: entry.trustLevel,
    detectorType: entry.detectorType,
    installCount: entry.installCount,
    isPublished: entry.isPublished,
    parameters: definition.parameters,
    categories: [...definition.categories],
    entities: [...definition.entities],
    languages: [...definition.languages],
    costClass: definition.costClass,
    defaultThreshold: definition.defaultThreshold,
    scope: definition.scope,
    references: [...definition.references],
    measures: definition.measures.map((measure) => ({ ...measure })),
    examples: definition.examples.map((example) => ({ ...example, categories: [...example.categories] })),
  };
}

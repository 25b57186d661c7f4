import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import {
  CoverageState,
  type CustomKeywordsSchema,
  type EnabledLanguageSchema,
  type LanguageCoverageCellSchema,
  type LanguagePackSchema,
  LanguageTrust,
} from "../../../gen/policyguard/control/v1/language_pb.ts";
import type { LanguageService } from "../../../gen/policyguard/control/v1/language_service_pb.ts";
import type { CoverageCell, LanguageCoverage } from "../../domain/language/coverage.ts";
import type { CustomView, EnabledView, Languages, PackEntry } from "../../domain/language/language.ts";
import { ifNoneMatch } from "../../kit/bundle/entity-tag.ts";
import { callerOf } from "../../kit/rpc/context.ts";
import { pageOf } from "../../kit/rpc/page.ts";
import { documentOf } from "../document.ts";
import { timestamp } from "../time.ts";

const trust = {
  draft: LanguageTrust.DRAFT,
  measured: LanguageTrust.MEASURED,
  verified: LanguageTrust.VERIFIED,
} as const;

const states = {
  covered: CoverageState.COVERED,
  partial: CoverageState.PARTIAL,
  none: CoverageState.NONE,
} as const;

/** Handlers of LanguageService. */
export function languageHandlers(
  languages: Languages,
  coverage: LanguageCoverage,
): ServiceImpl<typeof LanguageService> {
  return {
    listLanguagePacks: async (request) => {
      const page = pageOf(request);
      const [entries, total] = await languages.list(request, page);
      return { total, ...page, multilingual: entries.map(packMessage) };
    },
    getLanguagePack: async ({ language }) => {
      const entry = await languages.get(language);
      const { description, changelog } = entry.pack;
      return { pack: { ...packMessage(entry), description, changelog: [...changelog] } };
    },
    getLanguageOverlay: async ({ language, ifNoneMatch: known }) => {
      const { document, etag } = languages.overlay(language);
      return ifNoneMatch(known, etag) ? { etag, notModified: true } : { etag, overlay: document };
    },
    enableLanguage: async ({ language, version, categories, republish = false }, context) => {
      const input = { language, version, categories, republish };
      const { view, changes } = await languages.enable(callerOf(context), input, context.signal);
      return {
        language: view.row.language,
        version: view.pack.overlay.version,
        trustLevel: trust[view.pack.trustLevel],
        categories: [...view.categories],
        enabledAt: timestamp(view.row.enabledAt),
        pendingEnvironments: [...changes.pending],
        bundles: [...changes.bundles],
      };
    },
    disableLanguage: async ({ language: given, republish = false }, context) => {
      const input = { language: given, republish };
      const { language, changes } = await languages.disable(callerOf(context), input, context.signal);
      return { language, pendingEnvironments: [...changes.pending], bundles: [...changes.bundles] };
    },
    listEnabledLanguages: async (request, context) => {
      const page = pageOf(request);
      const [views, total] = await languages.enabled(callerOf(context), page);
      return { total, ...page, enabled: views.map(enabledMessage) };
    },
    getCustomKeywords: async ({ language }, context) => ({
      custom: customMessage(await languages.custom(callerOf(context), language)),
    }),
    getLanguageCoverage: async ({ projectId, envName, version }, context) => {
      const input = { projectId, environment: envName, version };
      const { cells, categories, ...path } = await coverage.of(callerOf(context), input, context.signal);
      return { ...path, categories: [...categories], coverage: cells.map(cellMessage) };
    },
    saveCustomKeywords: async ({ language, keywords, allow, expectedRevision }, context) => {
      const input = { keywords: keywords.map(documentOf), allow, expectedRevision };
      return { custom: customMessage(await languages.saveCustom(callerOf(context), language, input, context.signal)) };
    },
  };
}

function cellMessage({ measured, state, ...cell }: CoverageCell): MessageInitShape<typeof LanguageCoverageCellSchema> {
  const base = { ...cell, state: states[state] };
  if (measured === undefined) return base;
  const { recall, false_positive_rate: falsePositiveRate, positives, negatives } = measured;
  return { ...base, measured: { recall, falsePositiveRate, positives, negatives } };
}

function packMessage({ pack, installCount }: PackEntry): MessageInitShape<typeof LanguagePackSchema> {
  const { overlay, coverage } = pack;
  return {
    language: overlay.language,
    name: pack.name,
    nativeName: pack.nativeName,
    scripts: [...overlay.scripts],
    version: overlay.version,
    trustLevel: trust[pack.trustLevel],
    categories: Object.fromEntries(Object.entries(overlay.terms).map(([name, terms]) => [name, terms.length])),
    patternCount: overlay.patterns.length,
    testCount: pack.tests.found.length + pack.tests.not_found.length,
    coverage: Object.fromEntries(
      Object.entries(coverage).map(
        ([name, { recall, false_positive_rate: falsePositiveRate, positives, negatives }]) => [
          name,
          { recall, falsePositiveRate, positives, negatives },
        ],
      ),
    ),
    installCount,
    isPublished: true,
  };
}

function enabledMessage(view: EnabledView): MessageInitShape<typeof EnabledLanguageSchema> {
  const { row, pack, categories, customKeywordCount, environments } = view;
  return {
    language: row.language,
    version: pack.overlay.version,
    trustLevel: trust[pack.trustLevel],
    categories: [...categories],
    enabledAt: timestamp(row.enabledAt),
    enabledBy: row.enabledBy,
    customKeywordCount,
    environments: [...environments],
  };
}

function customMessage({ language, row }: CustomView): MessageInitShape<typeof CustomKeywordsSchema> {
  if (row === null) return { language, revision: 0, keywords: [], allow: [] };
  return {
    language,
    revision: row.revision,
    keywords: row.keywords.map((keyword) => ({ ...keyword, unless: [...keyword.unless] })),
    allow: [...row.allow],
    updatedAt: timestamp(row.updatedAt),
    updatedBy: row.updatedBy,
  };
}

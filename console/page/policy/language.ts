// What the editor of policies completes and describes by: the schema and the vocabulary of conditions, and names of the
// catalogue. The editor works without any of them, so nothing is told when one is not to be had.

import type { JsonObject } from "@bufbuild/protobuf";
import { createQueryOptions, useQuery, useTransport } from "@connectrpc/connect-query";
import { useQueries } from "@tanstack/react-query";
import { useMemo } from "react";
import { HubService } from "../../../gen/policyguard/control/v1/hub_service_pb.ts";
import { type GetPackResponse, PackService } from "../../../gen/policyguard/control/v1/pack_service_pb.ts";
import { PolicyService } from "../../../gen/policyguard/control/v1/policy_service_pb.ts";
import type { CatalogPack } from "../../editor/catalog-name.ts";
import type { Language } from "../../editor/completion.ts";
import type { Schema } from "../../editor/schema-path.ts";

/** Nothing of it changes before another release. */
const settled = { staleTime: Number.POSITIVE_INFINITY, retry: false };
/** More than the catalogue has, and the most that a page may be. */
const limit = 200;
/** As many packs as a policy may extend. */
const maxExtended = 16;

/** The language of policies, with the packs that the text names in detail. */
export function useLanguage(text: string): Language | undefined {
  const { data: language } = useQuery(PolicyService.method.getPolicySchema, {}, settled);
  const { data: hub } = useQuery(HubService.method.listDetectors, { limit }, settled);
  const { data: hubPacks } = useQuery(PackService.method.listPacks, { limit }, settled);
  const details = usePacks(text);
  return useMemo(() => {
    if (language?.schema === undefined) return undefined;
    const packs = (hubPacks?.packs ?? []).map(({ name, description, version }) => ({
      ...{ name, description, versions: [version] },
      ...details.find((pack) => pack.name === name),
    }));
    // The answer is a JSON Schema, whose members the message leaves open.
    const schema = language.schema as Schema;
    return { schema, conditions: language.conditions, catalog: { detectors: hub?.detectors ?? [], packs } };
  }, [language, hub, hubPacks, details]);
}

function usePacks(text: string): readonly CatalogPack[] {
  const transport = useTransport();
  const named = [...new Set([...text.matchAll(/\bpack:([a-z][a-z0-9-]*)@/g)].map(([, name = ""]) => name))];
  return useQueries({
    queries: named.slice(0, maxExtended).map((packId) => ({
      ...createQueryOptions(PackService.method.getPack, { packId }, { transport }),
      ...settled,
    })),
    combine: packsOf,
  });
}

function packsOf(answers: readonly { readonly data: GetPackResponse | undefined }[]): readonly CatalogPack[] {
  return answers.flatMap(({ data }) => {
    if (data?.pack === undefined) return [];
    const { name, description, versions, parameters, document } = data.pack;
    // The parameters are a JSON Schema, whose members the message leaves open.
    return [{ name, description, versions, parameters: parameters as Schema | undefined, rules: ruleIds(document) }];
  });
}

function ruleIds(document: JsonObject | undefined): string[] {
  const rules = document?.rules;
  if (!Array.isArray(rules)) return [];
  return rules.flatMap((rule) => {
    const id = typeof rule === "object" && rule !== null && !Array.isArray(rule) ? rule.id : undefined;
    return typeof id === "string" ? [id] : [];
  });
}

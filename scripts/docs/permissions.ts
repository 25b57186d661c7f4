import type { DescMethod, DescService } from "@bufbuild/protobuf";
import { wireNames } from "../../gateway/json/enum-names.ts";
import { routesOf } from "../../gateway/route/route.ts";
import { CredentialKind, Role, RoleSchema } from "../../gen/policyguard/options/v1/options_pb.ts";
import { AdapterService } from "../../gen/policyguard/runtime/v1/adapter_service_pb.ts";
import { EvaluationService } from "../../gen/policyguard/runtime/v1/evaluation_service_pb.ts";
import { controlServices } from "../../src/control-services.ts";
import { type MethodFacts, methodFacts } from "../../src/kit/rpc/options.ts";
import { code, table } from "./table.ts";

const yes = "✓";

/** Every operation that is served, and who may call it. */
export function permissionTables(): string {
  return [
    "## Control plane",
    ...controlServices.map(serviceTable),
    "## Runtime",
    serviceTable(EvaluationService),
    serviceTable(AdapterService),
  ].join("\n\n");
}

function serviceTable(service: DescService): string {
  const head = ["operation", "call", "members from", "runtime", "ci", "admin", "compared with the credential"];
  const rows = service.methods.map((method) => {
    const facts = methodFacts(method);
    return [method.name, callOf(method), membersOf(facts), ...tokensOf(facts), scopeOf(facts)];
  });
  return `### ${service.name}\n\n${table(head, rows)}`;
}

function callOf(method: DescMethod): string {
  const calls = routesOf([method.parent])
    .filter((route) => route.method === method)
    .map(({ verb, path }) => code(`${verb} ${path}`));
  return calls.length === 0 ? "RPC only" : calls.join(", ");
}

function membersOf({ access }: MethodFacts): string {
  if (access.public) return "anyone";
  if (!access.kinds.includes(CredentialKind.MEMBER)) return "";
  return access.leastRole === Role.UNSPECIFIED
    ? "any account"
    : (wireNames(RoleSchema).nameOf.get(access.leastRole) ?? "");
}

function tokensOf({ access }: MethodFacts): string[] {
  const kinds = [CredentialKind.RUNTIME, CredentialKind.CI, CredentialKind.ADMIN];
  return kinds.map((kind) => (access.kinds.includes(kind) ? yes : ""));
}

function scopeOf({ access, entitlement }: MethodFacts): string {
  const { orgField, projectField, envField, apiKeyHeader } = access;
  const fields = [orgField, projectField, envField].filter((name) => name !== "").map(code);
  return [
    fields.join(", "),
    apiKeyHeader ? "takes `X-API-Key`" : "",
    entitlement.plans.length > 0 ? `plan ${entitlement.plans.join(" or ")}` : "",
  ]
    .filter((text) => text !== "")
    .join("; ");
}

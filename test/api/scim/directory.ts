// A directory that speaks to an organization by plain HTTP, as providers do.

import { newId } from "../../../src/kit/process/id.ts";
import { SsoDomainRow } from "../../../src/store/identity/sso-domain.ts";
import type { TestControlPlane } from "../../harness/process/control-plane.ts";
import { setPlan } from "../../harness/vector/plan.ts";
import { createWorld, type World } from "../../harness/vector/world.ts";

/** The answer to a directory. */
export interface ScimAnswer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads into whatever came
  readonly body: any;
  readonly headers: Headers;
}

/** A directory, and the organization that it manages. */
export interface Directory {
  readonly world: World;
  /** A domain that the organization has verified. */
  readonly domain: string;
  readonly token: string;
  call(verb: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<ScimAnswer>;
}

/** Makes an organization on the plan enterprise, and connects its directory. */
export async function connectDirectory(
  plane: TestControlPlane,
  { authority = "scim" }: { readonly authority?: "scim" | "scim_owner" } = {},
): Promise<Directory> {
  const world = await createWorld(plane.database);
  await setPlan(plane.database, world.orgId, "enterprise");
  const domain = `d${newId().slice(0, 13)}.example`;
  await plane.database.systemTransaction(world.orgId, async (tx) => {
    const row = { orgId: world.orgId, id: newId(), domain, challenge: "policy-guard=test" };
    tx.em.create(SsoDomainRow, { ...row, createdAt: tx.now, verifiedAt: tx.now });
  });
  const token = await world.directory(authority);
  return { world, domain, token, call: caller(plane, world.orgId, token) };
}

/** A caller of the organization's SCIM address. */
export function caller(
  { baseUrl }: Pick<TestControlPlane, "baseUrl">,
  orgId: string,
  token: string,
): Directory["call"] {
  return async (verb, path, body, headers = {}) => {
    const response = await fetch(`${baseUrl}/v1/orgs/${orgId}/scim/v2${path}`, {
      method: verb,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { "content-type": "application/scim+json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === "" ? undefined : JSON.parse(text), headers: response.headers };
  };
}

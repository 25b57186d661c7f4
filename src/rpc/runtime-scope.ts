import type { HandlerContext } from "@connectrpc/connect";
import type { RuntimeScope } from "../domain/bundle/latest.ts";
import { callerOf } from "../kit/rpc/context.ts";

/** The scope of the runtime token that calls. */
export function runtimeScope(context: HandlerContext): RuntimeScope {
  const { orgId, credential } = callerOf(context);
  const { projectId, environment } = credential;
  if (projectId === undefined || environment === undefined) throw new Error("a runtime token has a full scope");
  return { orgId, projectId, environment };
}

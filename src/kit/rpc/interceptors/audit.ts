import type { Interceptor } from "@connectrpc/connect";
import { auditKey, connectionKey, requestIdKey } from "../context.ts";
import { methodFacts } from "../options.ts";

/** Says what the audit entry of the call will carry. The store writes it in the transaction of the change itself. */
export function createAuditInterceptor(): Interceptor {
  return (next) => (req) => {
    const values = req.contextValues;
    const action = methodFacts(req.method).audit;
    values.set(auditKey, { action, requestId: values.get(requestIdKey), address: values.get(connectionKey).address });
    return next(req);
  };
}

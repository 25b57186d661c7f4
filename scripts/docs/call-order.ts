import { order } from "../../src/kit/rpc/interceptors/order.ts";

/** The steps that a call passes, as a numbered list. */
export function callOrder(): string {
  return order.map(({ name, reason }, index) => `${index + 1}. **${name}**: ${reason}`).join("\n");
}

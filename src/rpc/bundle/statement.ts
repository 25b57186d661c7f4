import type { SignedStatement } from "../../kit/crypto/statement.ts";

/** A signed statement as a message. */
export function statementMessage({ payload, signatures }: SignedStatement) {
  return { payload, signatures: signatures.map((signature) => ({ ...signature })) };
}

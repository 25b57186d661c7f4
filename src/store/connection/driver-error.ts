// Translates errors of PostgreSQL to the product's own; nothing else does.

import {
  DeadlockException,
  ForeignKeyConstraintViolationException,
  LockWaitTimeoutException,
  UniqueConstraintViolationException,
} from "@mikro-orm/core";
import { Reason } from "../../../gen/policyguard/common/v1/reason_pb.ts";
import { Fault } from "../../kit/fault/fault.ts";

/** The name of the unique index that a write violated; undefined for any other error. */
export function violatedUnique(error: unknown): string | undefined {
  if (!(error instanceof UniqueConstraintViolationException)) return undefined;
  const { constraint } = error as UniqueConstraintViolationException & { constraint?: string };
  return constraint ?? "";
}

/**
 * Runs database work. A connection that failed is UNAVAILABLE, which callers may retry; text with a NUL character is a
 * 422; a row whose parent is gone is a 404, since it was there when the call began. Other errors pass through.
 */
export async function translated<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isNulCharacter(error)) {
      throw new Fault(Reason.VALIDATION_FAILED, "text must not contain the character U+0000", { cause: error });
    }
    if (error instanceof ForeignKeyConstraintViolationException) {
      throw new Fault(Reason.NOT_FOUND, "the resource that this belongs to was deleted meanwhile", { cause: error });
    }
    if (isConnectionFailure(error)) {
      throw new Fault(Reason.UNAVAILABLE, "the database is not available at the moment; try again", { cause: error });
    }
    throw error;
  }
}

/** Whether PostgreSQL aborted this transaction in favour of another one: it had no effect and may be retried. */
export function isGivenUp(error: unknown): boolean {
  const { code } = (error instanceof Error ? error : {}) as { code?: unknown };
  return error instanceof DeadlockException || code === "40P01" || code === "40001";
}

/** Whether a statement did not get a lock within its time (`lock_timeout`), or was what a deadlock was ended by. */
export function isLockTimeout(error: unknown): boolean {
  const { code } = (error instanceof Error ? error : {}) as { code?: unknown };
  return error instanceof LockWaitTimeoutException || code === "55P03" || isGivenUp(error);
}

/** Whether the statement named a schema, table or function that the database does not have. */
export function isUnknownName(error: unknown): boolean {
  const { code } = (error instanceof Error ? error : {}) as { code?: unknown };
  return code === "3F000" || code === "42P01" || code === "42883";
}

// Class 08 is a connection exception, 57P01 to 57P03 a server that stops or starts, 25006 a server that has become
// read-only, 53300 one with too many connections. A connection that dies mid-query has no code at all.
const connectionStates = /^(08...|57P0[123]|25006|53300)$/;
const connectionErrors = /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOENT)$/;

function isConnectionFailure(error: unknown): boolean {
  if (error instanceof LockWaitTimeoutException) return true;
  if (!(error instanceof Error)) return false;
  const { code } = error as Error & { code?: unknown };
  if (typeof code === "string" && (connectionStates.test(code) || connectionErrors.test(code))) return true;
  return /Connection terminated|timeout exceeded when trying to connect/i.test(error.message);
}

// PostgreSQL's text and jsonb have no U+0000; everything else in Unicode they take. MikroORM writes values into the
// query, where U+0000 ends the text early: a protocol violation.
function isNulCharacter(error: unknown): boolean {
  const { code, message = "" } = (error instanceof Error ? error : {}) as { code?: unknown; message?: string };
  return code === "22021" || code === "22P05" || (code === "08P01" && message.includes("invalid message format"));
}

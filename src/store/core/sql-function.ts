// The form in which functions of the schema `app` are written down.

/** A function with the role that owns it and the roles that may call it. */
export interface SqlFunction {
  /** Name and argument types, as in "find_token(bytea)". */
  readonly signature: string;
  readonly owner: string;
  readonly callers: readonly string[];
  /** `returns … language … as …`, following the signature with named arguments. */
  readonly create: string;
}

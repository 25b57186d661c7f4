// JSON of RPC callers. Connect reads it by the rules of Protobuf, and by default ignores fields that it does not know.

/** As for REST, a field with a typo in its name must not look like one that took effect. */
export const rpcJson = { ignoreUnknownFields: false } as const;

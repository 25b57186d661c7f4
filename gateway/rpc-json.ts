// JSON of RPC callers. Connect reads it by the rules of Protobuf, but passes over fields that it does not know unless it is told otherwise.

/** As for REST, a field with a typo in its name must not look like one that took effect. */
export const rpcJson = { ignoreUnknownFields: false } as const;

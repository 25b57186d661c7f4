/** Version of this runtime; bundles name the least one that understands them. */
export const runtimeVersion = "1.0.0";

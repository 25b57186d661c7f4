// The channels of PostgreSQL's NOTIFY by which the processes of the control plane tell each other of changes.

/** Tells of an activation, by its sequence number, or that an environment was deleted. */
export const bundlesChannel = "bundles";

/** Tells that an organization's plan or limit has changed, or that it was blocked or opened again. */
export const quotaChannel = "quota";

/** Tells that the live tokens of an organization have changed. */
export const tokensChannel = "tokens";

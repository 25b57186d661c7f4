// Methods that the contracts define and that no handler serves yet.

/** Such methods, by "<Service>/<Method>". Each leaves this list with the change that serves it. */
export const unserved: ReadonlySet<string> = new Set([]);

// How large a bundle may be. One set of numbers for both ends: what is published is always taken.

/** Most bytes of a bundle's parts together. More is not published. */
export const maxContentBytes = 50 * 1024 * 1024;

/** Most bytes of a bundle with its statements, which name every part. More is refused by runtimes. */
export const maxBundleBytes = 64 * 1024 * 1024;

/** Most bytes of the same as JSON, in which parts are base64. */
export const maxBundleJsonBytes = maxBundleBytes * 1.5;

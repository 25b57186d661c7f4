// How large a bundle may be. Publisher and runtimes share these numbers, so a runtime never refuses a published bundle
// for its size.

/** Maximum size of all parts of a bundle together. A larger bundle is not published. */
export const maxContentBytes = 50 * 1024 * 1024;

/** Maximum size of a bundle with its statements, which name every part. Runtimes refuse a larger one. */
export const maxBundleBytes = 64 * 1024 * 1024;

/** Maximum size of such a bundle as JSON, which has its parts in base64. */
export const maxBundleJsonBytes = maxBundleBytes * 1.5;

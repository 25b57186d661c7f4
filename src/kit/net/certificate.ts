// The certificate of a port, from the variables of its process.

/** A certificate chain and its private key, in PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/**
 * The certificate to serve with; undefined for plain HTTP. Throws when one half is given: whoever set it meant TLS, and
 * would be served without.
 */
export function certificateOf({
  tlsCertificate: cert,
  tlsKey: key,
}: {
  readonly tlsCertificate?: string | undefined;
  readonly tlsKey?: string | undefined;
}): Certificate | undefined {
  if (cert !== undefined && key !== undefined) return { cert, key };
  if (cert === undefined && key === undefined) return undefined;
  const [given, missing] = cert === undefined ? ["KEY", "CERTIFICATE"] : ["CERTIFICATE", "KEY"];
  throw new Error(`TLS_${given}_FILE is set without TLS_${missing}_FILE; TLS needs both, plain HTTP neither`);
}

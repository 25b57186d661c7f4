// Restricts where detector backends may be. A bundle comes from the control plane, where people other than the operator
// of this runtime may change the address of a backend. Texts and secrets go only where the operator allows it.

import { isLinkLocalOrMetadata } from "../../../src/kit/net/outbound/address.ts";
import { createNetworkGuard, type NetworkGuard } from "../../../src/kit/net/outbound/guard.ts";
import { type BackendReference, isCallHeader, modelScheme } from "../../engine/backend/backend.ts";

/** A header and its value. */
export interface SecretHeader {
  readonly name: string;
  readonly value: string;
}

/** The operator's settings for backends: BACKEND_SECRETS_FILE and BACKEND_ORIGINS. */
export interface BackendSettings {
  readonly backendSecrets?: string | undefined;
  readonly backendOrigins?: readonly string[] | undefined;
}

/** The members of a backend that matter here, as a bundle states them. */
type BackendAddress = Pick<BackendReference, "key" | "url">;

/** The secret of one backend, and the only origin that may receive it. */
interface Entry {
  readonly origin: string;
  readonly header: SecretHeader;
}

/** A connection to a backend would have gone to an address that no backend may have. */
export class OriginRefused extends Error {
  override readonly name = "OriginRefused";
}

/** Decides where texts and secrets may go. */
export class BackendOrigins {
  readonly #entries: ReadonlyMap<string, Entry>;
  readonly #origins: ReadonlySet<string>;
  /** Checks the addresses of each connection, after names are resolved. */
  readonly guard: NetworkGuard = createBackendGuard();

  constructor(entries: ReadonlyMap<string, Entry>, origins: readonly string[]) {
    this.#entries = entries;
    this.#origins = new Set([...[...entries.values()].map(({ origin }) => origin), ...origins]);
  }

  /**
   * Why this backend is refused; undefined when it may be asked. A backend with a secret may only be at the origin of
   * its secret.
   */
  refusal({ key, url }: BackendAddress): string | undefined {
    // A model in the runtime is none of it: nothing leaves the machine, and MODEL_FOLDER is the operator's consent.
    if (url.startsWith(modelScheme)) return undefined;
    const { origin } = new URL(url);
    const own = this.#entries.get(key)?.origin;
    if (own === undefined ? this.#origins.has(origin) : own === origin) return undefined;
    const named = own === undefined ? "BACKEND_ORIGINS does not name it" : `BACKEND_SECRETS_FILE names ${own}`;
    return `the bundle puts it at ${origin}, and ${named}: nothing is sent there`;
  }

  /** The keys of the refused ones among these backends, sorted. */
  refused(backends: Iterable<BackendAddress>): string[] {
    return [...backends].flatMap((backend) => (this.refusal(backend) === undefined ? [] : [backend.key])).sort();
  }

  /** The secret of a backend that may be asked. */
  secretOf({ key }: BackendAddress): SecretHeader | undefined {
    return this.#entries.get(key)?.header;
  }
}

/** Reads the operator's settings. Throws an error for the operator when they are not valid. */
export function readBackendOrigins({ backendSecrets, backendOrigins = [] }: BackendSettings): BackendOrigins {
  const origins = backendOrigins.map((text) => readOrigin(text, "BACKEND_ORIGINS"));
  return new BackendOrigins(readEntries(backendSecrets), origins);
}

const secretsFile = "BACKEND_SECRETS_FILE";
const example = '{"origin": "https://model.example.com", "header": "Authorization", "value": "Bearer …"}';

function readEntries(content: string | undefined): ReadonlyMap<string, Entry> {
  if (content === undefined) return new Map();
  let json: unknown;
  try {
    json = JSON.parse(content);
  } catch {
    // The parser's message would quote the secrets.
    throw new Error(`${secretsFile}: expected JSON such as {"<key>": ${example}}`);
  }
  if (!isRecord(json)) throw new Error(`${secretsFile}: expected an object such as {"<key>": ${example}}`);
  return new Map(Object.entries(json).map(([key, value]) => [key, readEntry(key, value)]));
}

function readEntry(key: string, entry: unknown): Entry {
  const where = `${secretsFile}, ${JSON.stringify(key)}`;
  if (typeof entry === "string")
    throw new Error(
      `${where}: a value alone is the form of earlier versions; a secret now belongs to an origin: ` +
        `{${JSON.stringify(key)}: ${example}}`,
    );
  const names = isRecord(entry) ? Object.keys(entry).sort().join(", ") : "";
  if (!isRecord(entry) || names !== "header, origin, value")
    throw new Error(`${where}: expected exactly origin, header and value, such as ${example}`);
  const { origin, header, value } = entry;
  if (typeof header !== "string" || !/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/.test(header) || isCallHeader(header))
    throw new Error(`${where}, header: expected the name of a header that does not belong to the call itself`);
  if (typeof value !== "string" || !/^[\x20-\x7e]+$/.test(value))
    throw new Error(`${where}, value: expected text of printable ASCII characters`);
  return { origin: readOrigin(origin, `${where}, origin`), header: { name: header, value } };
}

function readOrigin(text: unknown, where: string): string {
  const url = typeof text === "string" ? URL.parse(text) : null;
  const isOrigin = url !== null && /^https?:$/.test(url.protocol) && `${url.origin}/` === url.href;
  if (!isOrigin)
    throw new Error(`${where}: expected scheme, host and port only, such as https://model.example.com:8443`);
  if (isLinkLocalOrMetadata(url.hostname.replace(/^\[(.*)\]$/, "$1")))
    throw new Error(`${where}: ${url.origin} is link-local or a cloud's metadata service, where no backend is`);
  return url.origin;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Private networks are allowed, since the operator named the origin. The addresses of names are checked at each
 * connection.
 */
function createBackendGuard(): NetworkGuard {
  const guard = createNetworkGuard({ allowNetworks: ["0.0.0.0/0", "::/0"], dnsServers: [] });
  return {
    async check(url, options) {
      const target = await guard.check(url, options);
      if (target.addresses.some(isLinkLocalOrMetadata))
        throw new OriginRefused(`${url} resolves to a link-local address or a cloud's metadata service`);
      return target;
    },
  };
}

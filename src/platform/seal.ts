// Small secrets at rest: AES-256-GCM (NIST SP 800-38D) under a master key, with a random 96-bit nonce each.
//
//   sealed = version (1) | length of the key id (1) | key id | nonce (12) | ciphertext | tag (16)
//
// The header and what the secret belongs to are authenticated, so that a sealed value copied into another row, another
// organization or another column does not open.

import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createSecretKey,
  type KeyObject,
  randomFillSync,
} from "node:crypto";

const version = 1;
const nonceBytes = 12;
const tagBytes = 16;
const keyBytes = 32;

/** What a sealed secret belongs to. It opens only with the same three. */
export interface SealBinding {
  /** Such as "webhook.secret". */
  readonly purpose: string;
  readonly orgId: string;
  readonly rowId: string;
}

/** A key that seals secrets. */
export interface MasterKey {
  readonly id: string;
  readonly key: Uint8Array;
}

/** Seals and opens secrets. */
export interface Sealer {
  /** The bytes with which every value begins that is sealed with the first master key. */
  readonly prefix: Uint8Array;
  /** The secret, sealed with the first master key. */
  seal(secret: Uint8Array, binding: SealBinding): Uint8Array;
  /**
   * The secret again. Throws when the binding differs, a byte was changed, or the master key is not among the known
   * ones.
   */
  open(sealed: Uint8Array, binding: SealBinding): Uint8Array;
}

/**
 * Reads POLICY_GUARD_MASTER_KEY: the base64 of 32 bytes, or several separated by commas, each optionally named as
 * `id:base64`. The first seals, all open; to rotate, put the new key in front. A key without a name is named by its
 * digest, so that it can be moved in the list.
 */
export function parseMasterKeys(text: string): MasterKey[] {
  const keys = text.split(",").map((entry) => parseMasterKey(entry.trim()));
  if (new Set(keys.map(({ id }) => id)).size < keys.length) throw new Error("two master keys have the same id");
  return keys;
}

/** A sealer that seals with the first of these keys and opens with any. */
export function createSealer({ masterKeys }: { readonly masterKeys: readonly MasterKey[] }): Sealer {
  const [first] = masterKeys;
  if (first === undefined) throw new Error("sealing needs a master key");
  const byId = new Map(masterKeys.map(({ id, key }) => [id, createSecretKey(key)]));
  const sealing = { prefix: headerOf(first), key: createSecretKey(first.key) };
  return {
    prefix: sealing.prefix,
    seal: (secret, binding) => seal(sealing, secret, binding),
    open: (sealed, binding) => open(byId, sealed, binding),
  };
}

function headerOf({ id }: MasterKey): Buffer {
  const name = Buffer.from(id, "utf8");
  return Buffer.concat([Uint8Array.of(version, name.length), name]);
}

// A key object is made once: with the bytes of a key, each seal would take three times as long.
function seal(
  { prefix: header, key }: { readonly prefix: Buffer; readonly key: KeyObject },
  secret: Uint8Array,
  binding: SealBinding,
): Uint8Array {
  const nonce = nextNonce();
  const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(associatedData(header, binding));
  return Buffer.concat([header, nonce, cipher.update(secret), cipher.final(), cipher.getAuthTag()]);
}

// Random bytes are drawn for a thousand nonces at once: drawing twelve takes as long as encrypting a short text.
const nonces = Buffer.alloc(1_024 * nonceBytes);
let drawn = nonces.length;

function nextNonce(): Buffer {
  if (drawn === nonces.length) {
    randomFillSync(nonces);
    drawn = 0;
  }
  drawn += nonceBytes;
  return nonces.subarray(drawn - nonceBytes, drawn);
}

function open(keys: ReadonlyMap<string, KeyObject>, sealed: Uint8Array, binding: SealBinding): Uint8Array {
  const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
  const headerBytes = 2 + (bytes[1] ?? 0);
  if (bytes[0] !== version || bytes.length < headerBytes + nonceBytes + tagBytes) {
    throw new Error("this is not a sealed secret");
  }
  const header = bytes.subarray(0, headerBytes);
  const id = header.toString("utf8", 2);
  const key = keys.get(id);
  if (key === undefined) throw new Error(`the secret is sealed with master key "${id}", which is not configured`);
  const nonce = bytes.subarray(headerBytes, headerBytes + nonceBytes);
  const decipher = createDecipheriv("aes-256-gcm", key, nonce, { authTagLength: tagBytes })
    .setAAD(associatedData(header, binding))
    .setAuthTag(bytes.subarray(-tagBytes));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(headerBytes + nonceBytes, -tagBytes)), decipher.final()]);
  } catch {
    throw new Error("the sealed secret was changed, or belongs to something else");
  }
}

function associatedData(header: Buffer, { purpose, orgId, rowId }: SealBinding): Buffer {
  // As a JSON list, so that no two bindings have the same bytes.
  return Buffer.concat([header, Buffer.from(JSON.stringify([purpose, orgId, rowId]), "utf8")]);
}

const masterKeyForm = /^(?:([A-Za-z0-9._-]{1,64}):)?([A-Za-z0-9+/]{43}=)$/;

function parseMasterKey(entry: string): MasterKey {
  // The entry is never quoted in the message: it is a secret.
  const match = masterKeyForm.exec(entry);
  const key = Buffer.from(match?.[2] ?? "", "base64");
  if (key.length !== keyBytes)
    throw new Error(`a master key is the base64 of ${keyBytes} bytes, optionally as id:base64`);
  return { id: match?.[1] ?? createHash("sha256").update(key).digest("hex").slice(0, 8), key };
}

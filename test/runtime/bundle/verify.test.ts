import { clone, toJsonString } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { type Bundle, BundleSchema } from "../../../gen/policyguard/bundle/v1/bundle_pb.ts";
import { isStale } from "../../../runtime/bundle/activation.ts";
import { BundleRejection, type RejectionReason } from "../../../runtime/bundle/rejection.ts";
import { type BundleCheck, type HeldParts, heldParts, verifyBundle } from "../../../runtime/bundle/verify.ts";
import { newSigningKey, trustKeys } from "../../../src/kit/crypto/signing-key.ts";
import { type BundleSpec, checkOf, hours, now, scope, signedBundle, signer } from "./signed-bundle.ts";

const good = await signedBundle();
const { ratchet } = (await verifyBundle(checkOf(good))).activation;

async function reasonFor(
  bundle: Bundle | Uint8Array,
  change: Partial<BundleCheck> = {},
): Promise<RejectionReason | "accepted"> {
  try {
    await verifyBundle(checkOf(bundle, change));
    return "accepted";
  } catch (error) {
    if (error instanceof BundleRejection) return error.reason;
    throw error;
  }
}

/** The lowest limit at which the bundle is accepted. */
async function minBytesFor(bundle: Bundle, held: HeldParts): Promise<number> {
  let [refused, accepted] = [0, 1_000_000];
  while (accepted - refused > 1) {
    const middle = Math.floor((refused + accepted) / 2);
    if ((await reasonFor(bundle, { held, maxBytes: middle })) === "accepted") accepted = middle;
    else refused = middle;
  }
  return accepted;
}

function jsonOf(bundle: Bundle): Uint8Array {
  return Buffer.from(toJsonString(BundleSchema, bundle));
}

/** The good bundle after some mischief. */
function changed(mischief: (bundle: Bundle) => unknown): Bundle {
  const copy = clone(BundleSchema, good);
  mischief(copy);
  return copy;
}

describe("a bundle is accepted", () => {
  it("when it is signed, whole, in scope and in time, as a message or as JSON", async () => {
    for (const form of [good, jsonOf(good)]) {
      const { manifest, digest, parts, activation } = await verifyBundle(checkOf(form));
      expect(manifest.version).toBe(1);
      expect(activation.payload.digest).toBe(digest);
      expect([...parts.keys()].sort()).toEqual(["packs/b.json", "policies/a.json"]);
      expect(Buffer.from(parts.get("policies/a.json") ?? []).toString()).toBe('{"name":"a"}');
    }
  });

  it("when an older version is activated again: an intended roll-back", async () => {
    const later = await signedBundle({ seq: 9, version: 1 });
    expect(
      await reasonFor(later, { ratchet: { ...ratchet, activationSeq: 8, digest: `sha256:${"1".repeat(64)}` } }),
    ).toBe("accepted");
  });

  it("when it is the one in force again, under a fresh activation", async () => {
    const fresh = await signedBundle({ activation: { issued_at: hours(24), expires_at: hours(8 * 24) } });
    expect(await reasonFor(fresh, { ratchet })).toBe("accepted");
  });

  it("from disk after its expiry, and then it is stale", async () => {
    const later = new Date(Date.parse(hours(8 * 24)));
    const { activation } = await verifyBundle(checkOf(jsonOf(good), { from: "disk", now: later, ratchet }));
    expect(isStale(activation.payload, later)).toBe(true);
    expect(isStale(activation.payload, now)).toBe(false);
  });

  it("when the clock here is a little behind", async () => {
    expect(await reasonFor(await signedBundle({ activation: { not_before: hours(0.05) } }))).toBe("accepted");
  });

  it("with any sequence number once no key that signed the ratchet is trusted: recovery from a stolen key", async () => {
    const stolen = { activationSeq: 2 ** 31 - 1, digest: `sha256:${"1".repeat(64)}`, kids: [newSigningKey().kid] };
    expect(await reasonFor(good, { ratchet: stolen })).toBe("accepted");
    expect(await reasonFor(good, { ratchet: { ...stolen, kids: [signer.kid] } })).toBe("replayed_sequence");
  });

  it("without the parts that are at hand by their digests, and is whole then", async () => {
    const held = heldParts(await verifyBundle(checkOf(good)));
    const files = { "policies/a.json": '{"name":"a"}', "packs/b.json": "[1]" };
    const next = await signedBundle({ seq: 2, version: 2, files });
    const sent = { ...next, parts: next.parts.filter(({ path }) => path === "packs/b.json") };
    const found = await verifyBundle(checkOf(sent, { held }));
    const whole = await verifyBundle(checkOf(next));
    expect(found.parts).toEqual(whole.parts);
    expect(found.bundle.parts.map(({ path }) => path).sort()).toEqual(["packs/b.json", "policies/a.json"]);
    expect(await reasonFor(found.bundle)).toBe("accepted");
  });

  it("with empty content", async () => {
    expect(await reasonFor(await signedBundle({ files: {} }))).toBe("accepted");
  });
});

describe("a bundle is refused", () => {
  const attacks: readonly [string, RejectionReason, (bundle: Bundle) => unknown][] = [
    ["stripped of the manifest's signatures", "unsigned", ({ manifest }) => void manifest?.signatures.splice(0)],
    ["stripped of the activation's signatures", "unsigned", ({ activation }) => void activation?.signatures.splice(0)],
    ["without a manifest", "missing_statement", (bundle) => Object.assign(bundle, { manifest: undefined })],
    ["without an activation", "missing_statement", (bundle) => Object.assign(bundle, { activation: undefined })],
    [
      "with the activation as its manifest",
      "wrong_type",
      (bundle) => Object.assign(bundle, { manifest: bundle.activation }),
    ],
    [
      "with the manifest as its activation",
      "wrong_type",
      (bundle) => Object.assign(bundle, { activation: bundle.manifest }),
    ],
    ["with a part missing", "missing_part", ({ parts }) => void parts.pop()],
    ["with no parts at all", "missing_part", ({ parts }) => void parts.splice(0)],
    [
      "with a part renamed",
      "missing_part",
      ({ parts: [part] }) => part && Object.assign(part, { path: "policies/c.json" }),
    ],
    ["with a part twice", "duplicate_part", ({ parts }) => void parts.push(...parts.slice(0, 1))],
    [
      "with a byte of a part changed",
      "digest_mismatch",
      ({ parts: [part] }) => part && Object.assign(part, { data: Buffer.from('{"name":"b"}') }),
    ],
    [
      "with a part cut short",
      "digest_mismatch",
      ({ parts: [part] }) => part && Object.assign(part, { data: part.data.subarray(1) }),
    ],
    [
      "with an emptied part",
      "digest_mismatch",
      ({ parts: [part] }) => part && Object.assign(part, { data: new Uint8Array() }),
    ],
    [
      "with the parts' contents exchanged",
      "digest_mismatch",
      ({ parts: [a, b] }) => {
        if (a && b) [a.data, b.data] = [b.data, a.data];
      },
    ],
  ];

  it.each(attacks)("%s", async (_, reason, mischief) => {
    expect(await reasonFor(changed(mischief))).toBe(reason);
    expect(await reasonFor(jsonOf(changed(mischief)))).toBe(reason);
  });

  it("without a part that is at hand in another version only", async () => {
    const held = heldParts(await verifyBundle(checkOf(good)));
    const next = await signedBundle({ files: { "policies/a.json": '{"name":"b"}', "packs/b.json": "[]" } });
    expect(await reasonFor({ ...next, parts: [] }, { held })).toBe("missing_part");
  });

  it("without a part whose bytes at hand are not those of its digest", async () => {
    const held = new Map(
      [...heldParts(await verifyBundle(checkOf(good)))].map(([key, data]) => [key, Uint8Array.from(data)]),
    );
    for (const data of held.values()) data[0] = 0;
    expect(await reasonFor({ ...good, parts: [] }, { held })).toBe("digest_mismatch");
  });

  it("that is larger than the limit together with the parts at hand", async () => {
    const held = heldParts(await verifyBundle(checkOf(good)));
    const sent = { ...good, parts: [] };
    const bytes = [...held.values()].reduce((sum, { byteLength }) => sum + byteLength, 0);
    const sentBytes = await minBytesFor(sent, held);
    expect(await reasonFor(sent, { held, maxBytes: sentBytes })).toBe("accepted");
    expect(await reasonFor(sent, { held, maxBytes: sentBytes - bytes })).toBe("too_large");
  });

  it("with a part that the manifest does not list", async () => {
    const richer = await signedBundle({
      files: { "policies/a.json": '{"name":"a"}', "packs/b.json": "[]", "evil.json": "1" },
    });
    expect(await reasonFor(changed((bundle) => Object.assign(bundle, { parts: richer.parts })))).toBe("extra_part");
  });

  it("signed by a key that is not trusted", async () => {
    expect(await reasonFor(await signedBundle({ keys: [newSigningKey()] }))).toBe("unknown_kid");
  });

  it("signed by a key that has been revoked, also from disk", async () => {
    const trust = trustKeys([newSigningKey().publicJwk]);
    expect(await reasonFor(good, { trust })).toBe("unknown_kid");
    expect(await reasonFor(good, { trust, from: "disk" })).toBe("unknown_kid");
  });

  it("with one signature by a foreign key under the trusted name", async () => {
    const foreign = await signedBundle({ keys: [newSigningKey()] });
    const bundle = changed(({ manifest }) => {
      const signature = foreign.manifest?.signatures[0]?.signature;
      if (manifest?.signatures[0] && signature) manifest.signatures[0].signature = signature;
    });
    expect(await reasonFor(bundle)).toBe("bad_signature");
  });

  it("with the same signature twice", async () => {
    const bundle = changed(
      ({ manifest }) => void manifest?.signatures.push(...(manifest?.signatures.slice(0, 1) ?? [])),
    );
    expect(await reasonFor(bundle)).toBe("duplicate_kid");
  });

  it.each<[string, Partial<typeof scope>]>([
    ["organization", { orgId: "org-2" }],
    ["project", { projectId: "project-2" }],
    ["environment", { environment: "dev" }],
  ])("made for another %s", async (_, other) => {
    expect(await reasonFor(good, { scope: { ...scope, ...other } })).toBe("wrong_scope");
  });

  it("of another environment under an activation of this one", async () => {
    expect(await reasonFor(await signedBundle({ manifest: { environment: "dev" } }))).toBe("wrong_scope");
  });

  it("replayed under an older activation", async () => {
    expect(await reasonFor(good, { ratchet: { ...ratchet, activationSeq: 2 } })).toBe("replayed_sequence");
    expect(await reasonFor(good, { ratchet: { ...ratchet, activationSeq: 2 }, from: "disk" })).toBe(
      "replayed_sequence",
    );
  });

  it("when the same sequence number named another bundle before", async () => {
    expect(await reasonFor(await signedBundle({ version: 2 }), { ratchet })).toBe("equivocation");
  });

  it("under the activation of another bundle", async () => {
    const other = await signedBundle({ version: 2, files: { "policies/z.json": "{}" } });
    expect(await reasonFor(changed((bundle) => Object.assign(bundle, { activation: other.activation })))).toBe(
      "digest_mismatch",
    );
  });

  it.each<[string, BundleSpec, RejectionReason]>([
    ["after the activation's expiry", { activation: { expires_at: hours(-0.01) } }, "expired"],
    ["before the activation holds", { activation: { not_before: hours(0.1) } }, "not_yet_valid"],
    ["that lists a part outside itself", { files: { "../bundle.json": "{}" } }, "bad_path"],
    ["that lists an absolute path", { files: { "/etc/passwd": "{}" } }, "bad_path"],
    ["that climbs on the way", { files: { "policies/../../x": "{}" } }, "bad_path"],
    ["that climbs with backslashes", { files: { "..\\x": "{}" } }, "bad_path"],
    ["that has a hidden file", { files: { "policies/.x": "{}" } }, "bad_path"],
    ["that has a path with a line break", { files: { "policies/a\n": "{}" } }, "bad_path"],
    ["that has a path with a zero byte", { files: { "policies/a\0.json": "{}" } }, "bad_path"],
    ["that has an endless path", { files: { [`${"a".repeat(300)}`]: "{}" } }, "bad_path"],
    [
      "whose content digest is another's",
      { manifest: { content_digest: `sha256:${"0".repeat(64)}` } },
      "digest_mismatch",
    ],
    ["whose manifest lists nothing of what is there", { manifest: { parts: [] } }, "extra_part"],
    ["whose activation names another version", { activation: { version: 7 } }, "digest_mismatch"],
    [
      "whose activation names another digest",
      { activation: { digest: `sha256:${"0".repeat(64)}` } },
      "digest_mismatch",
    ],
    ["whose manifest has no version", { manifest: { version: 0 } }, "bad_payload"],
    ["that needs a newer runtime", { manifest: { min_runtime: "1.2.4" } }, "runtime_too_old"],
    ["that needs a newer minor version", { manifest: { min_runtime: "1.10.0" } }, "runtime_too_old"],
    ["that needs something unheard-of", { manifest: { min_runtime: "latest" } }, "bad_payload"],
  ])("%s", async (_, spec, reason) => {
    expect(await reasonFor(await signedBundle(spec))).toBe(reason);
  });

  it("that is larger than the limit, before any other check", async () => {
    expect(await reasonFor(Buffer.alloc(3000, 0x20), { maxBytes: 1999 })).toBe("too_large");
    expect(await reasonFor(Buffer.alloc(3000, 0x20), { maxBytes: 2000 })).toBe("malformed");
    expect(await reasonFor(await signedBundle({ files: { "a.json": "x".repeat(5000) } }), { maxBytes: 5000 })).toBe(
      "too_large",
    );
  });

  it("that is cut off at any byte", async () => {
    const bytes = jsonOf(good);
    for (let length = 0; length < bytes.length; length += 37) {
      expect(await reasonFor(bytes.subarray(0, length)), `${length} bytes`).toBe("malformed");
    }
  });

  it("with any one byte of its JSON changed, unless it still says the same", async () => {
    const bytes = jsonOf(good);
    const original = await verifyBundle(checkOf(good));
    const refused = new Set<string>();
    for (let at = 0; at < bytes.length; at += 5) {
      const copy = Uint8Array.from(bytes);
      copy[at] = (copy[at] ?? 0) ^ 0x01;
      const outcome = await verifyBundle(checkOf(copy)).catch((error: unknown) => error);
      if (outcome instanceof BundleRejection) {
        refused.add(outcome.reason);
      } else {
        // The last letter of a base64 text has bits that stand for nothing.
        expect(outcome, `byte ${at}`).toMatchObject({ digest: original.digest, parts: original.parts });
      }
    }
    expect([...refused]).toEqual(expect.arrayContaining(["malformed", "bad_signature", "digest_mismatch"]));
  });
});

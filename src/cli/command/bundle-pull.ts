import { toJson } from "@bufbuild/protobuf";
import { BundleSchema } from "../../../gen/policyguard/bundle/v1/bundle_pb.ts";
import { statementDigest } from "../../kit/crypto/statement.ts";
import { readClaims } from "../bundle-file.ts";
import { defineCommand } from "../command.ts";
import { exitCodes } from "../failure.ts";
import { replaceFile } from "../file.ts";
import { openServer } from "../server.ts";

/** `policy-guard bundle pull`: fetches the active bundle of a runtime token. */
export const bundlePull = defineCommand({
  name: "bundle pull",
  summary: "Fetch the active bundle of a runtime token.",
  positionals: { label: "", min: 0, max: 0 },
  options: {
    out: { type: "string", short: "o", value: "FILE", help: "Where to write it; default: bundle.json." },
    keys: { type: "string", value: "FILE", help: "Also write the public keys that sign bundles, as a JWK set." },
  },
  notes: `It needs a runtime token: the token says which environment. Keys that came with the bundle only show that the two
belong together; take the keys that you check by from a fetch that you trust, and keep them.`,
  async run({ values, output, world }) {
    const server = openServer(world);
    const { bundle } = await server.bundles.getLatestBundle({});
    if (bundle?.manifest === undefined) throw new Error("the server answered without a bundle");
    const path = values.out ?? "bundle.json";
    replaceFile(path, `${JSON.stringify(toJson(BundleSchema, bundle))}\n`);
    if (values.keys !== undefined) {
      const { keys, revokedKids } = await server.bundles.listSigningKeys({});
      const jwks = keys.map(({ kty, crv, x, kid, alg, use }) => ({ kty, crv, x, kid, alg, use }));
      const set = { keys: jwks, revoked_kids: revokedKids };
      replaceFile(values.keys, `${JSON.stringify(set, null, 2)}\n`);
    }
    const { manifest, activation } = readClaims(path);
    const digest = statementDigest(bundle.manifest);
    output.line(
      `version ${manifest.version} of ${manifest.environment}, activation ${activation.activation_seq}: ${path}`,
    );
    output.line(`digest ${digest}; check it with \`policy-guard bundle verify\``);
    output.json({
      file: path,
      keys_file: values.keys ?? null,
      environment: manifest.environment,
      version: manifest.version,
      activation_seq: activation.activation_seq,
      digest,
    });
    return exitCodes.fine;
  },
});

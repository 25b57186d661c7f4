// A runtime in a process of its own whose bundle is swapped on demand: what holds its event loop up is its own doing.
// Its parent sends bundles, and asks for measurements.

import { fromBinary } from "@bufbuild/protobuf";
import { BundleSchema } from "../../../gen/policyguard/bundle/v1/bundle_pb.ts";
import { BundleBuilder } from "../../../runtime/bundle/builder.ts";
import { verifyBundle } from "../../../runtime/bundle/verify.ts";
import { runtimeVersion } from "../../../runtime/bundle/version.ts";
import { maxBundleBytes } from "../../../src/kit/bundle/bundle-size.ts";
import { type PublicJwk, trustKeys } from "../../../src/kit/crypto/signing-key.ts";
import { startEvaluateStage } from "../vector/evaluate-stage.ts";
import { measureStalls, type Stalls } from "./stall-meter.ts";

/** What the parent wants. */
export type SwapRequest =
  | {
      readonly kind: "adopt";
      readonly bundle: Uint8Array;
      readonly key: PublicJwk;
      readonly scope: { readonly orgId: string; readonly projectId: string; readonly environment: string };
    }
  | { readonly kind: "measure" }
  | { readonly kind: "stop" };

/** What it gets: where the runtime listens, how long a swap took, or what was measured since it last asked. */
export type SwapAnswer =
  | { readonly kind: "ready"; readonly url: string; readonly token: string }
  | { readonly kind: "adopted"; readonly tookMs: number }
  | { readonly kind: "measured"; readonly stalls: Stalls; readonly heldMegabytes: number };

const builder = new BundleBuilder();
const stage = await startEvaluateStage({ builder });
let stalls = measureStalls();
process.on("message", (request: SwapRequest) => void serve(request));
answer({ kind: "ready", url: stage.url, token: stage.tokenOf("runtime") ?? "" });

async function serve(request: SwapRequest): Promise<void> {
  if (request.kind === "adopt") return adopt(request);
  if (request.kind === "measure") return measure();
  await stage.stop();
  await builder.stop();
  process.exit(0);
}

async function adopt({ bundle, key, scope }: SwapRequest & { readonly kind: "adopt" }): Promise<void> {
  const startedAtMs = performance.now();
  const found = await verifyBundle({
    ...{ bundle: fromBinary(BundleSchema, bundle), trust: trustKeys([key]), scope, ratchet: undefined },
    ...{ now: new Date(), from: "network", maxBytes: maxBundleBytes, runtimeVersion },
  });
  await stage.adopt(found);
  answer({ kind: "adopted", tookMs: performance.now() - startedAtMs });
}

// Collecting garbage takes its time, which is not to be counted.
function measure(): void {
  const measured = stalls();
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  stalls = measureStalls();
  answer({ kind: "measured", stalls: measured, heldMegabytes: (heapUsed + external) / 2 ** 20 });
}

function answer(message: SwapAnswer): void {
  process.send?.(message);
}

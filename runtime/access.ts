// Who may call a runtime: checked offline against digests of the organization's tokens, so that evaluation goes on while
// the control plane is away.

import { timestampDate } from "@bufbuild/protobuf/wkt";
import { CredentialKind } from "../gen/policyguard/options/v1/options_pb.ts";
import type { TokenDigest } from "../gen/policyguard/runtime/v1/reporting_service_pb.ts";
import type { Clock } from "../src/kit/clock.ts";
import type { Credential } from "../src/kit/context.ts";
import { insufficientScope } from "../src/kit/error.ts";
import { shownPrefix, tokenDigest } from "../src/kit/token.ts";
import type { BundleScope } from "./bundle/activation.ts";

/** Knows the tokens of callers by their digests. */
export class Access {
  readonly #scope: () => BundleScope | undefined;
  readonly #clock: Clock;
  #tokens: ReadonlyMap<string, TokenDigest> = new Map();

  /** `scope` says which project and environment the runtime works for. */
  constructor(scope: () => BundleScope | undefined, clock: Clock) {
    this.#scope = scope;
    this.#clock = clock;
  }

  /** Takes over the whole list of live tokens. */
  replace(tokens: readonly TokenDigest[]): void {
    this.#tokens = new Map(tokens.map((token) => [Buffer.from(token.sha256).toString("hex"), token]));
  }

  /** The credential of a token; undefined when it is unknown or expired. A known one of another scope is a 403. */
  authenticate(value: string): Credential | undefined {
    const digest = tokenDigest(value).toString("hex");
    const token = this.#tokens.get(digest);
    const scope = this.#scope();
    if (token === undefined || scope === undefined) return undefined;
    if (token.notAfter !== undefined && timestampDate(token.notAfter) <= this.#clock.now()) return undefined;
    const { kind, projectId, environment } = token;
    if (kind === CredentialKind.RUNTIME && (projectId !== scope.projectId || environment !== scope.environment)) {
      throw insufficientScope("this runtime token is for another project or environment");
    }
    return {
      kind,
      id: digest.slice(0, 16),
      label: shownPrefix(value),
      orgId: scope.orgId,
      projectId: projectId === "" ? undefined : projectId,
      environment: environment === "" ? undefined : environment,
      roles: new Map(),
    };
  }
}

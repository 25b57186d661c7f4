// Authenticates callers of a runtime without the control plane, by digests of the organization's tokens, so that
// evaluation goes on while the control plane is away.

import { timestampDate } from "@bufbuild/protobuf/wkt";
import { CredentialKind } from "../../gen/policyguard/options/v1/options_pb.ts";
import type { TokenDigest } from "../../gen/policyguard/runtime/v1/reporting_service_pb.ts";
import { shownPrefix, tokenDigest } from "../../src/kit/crypto/token.ts";
import { insufficientScope } from "../../src/kit/fault/fault.ts";
import { BoundedCache } from "../../src/kit/process/bounded-cache.ts";
import type { Clock } from "../../src/kit/process/clock.ts";
import type { Credential } from "../../src/kit/rpc/context.ts";
import type { BundleScope } from "../bundle/activation.ts";

/** Max valid tokens that are remembered in plain, so that their digests are not computed with every call. */
const maxRemembered = 1_024;

interface Remembered {
  readonly credential: Credential;
  /** Infinite for a token that does not expire. */
  readonly notAfterMs: number;
}

/** Knows the tokens of callers by their digests. */
export class TokenAuthenticator {
  readonly #scope: () => BundleScope | undefined;
  readonly #clock: Clock;
  #tokens: ReadonlyMap<string, TokenDigest> = new Map();
  /** By the token itself, for one list of tokens and one scope. */
  readonly #remembered = new BoundedCache<string, Remembered>({ maxEntries: maxRemembered });
  #rememberedScope: BundleScope | undefined;

  /** `scope` says which project and environment the runtime works for. */
  constructor(scope: () => BundleScope | undefined, clock: Clock) {
    this.#scope = scope;
    this.#clock = clock;
  }

  /** Replaces the whole list of live tokens. */
  replace(tokens: readonly TokenDigest[]): void {
    this.#tokens = new Map(tokens.map((token) => [Buffer.from(token.sha256).toString("hex"), token]));
    this.#remembered.clear();
  }

  /** The credential of a token; undefined when it is unknown or expired. A known one of another scope is a 403. */
  authenticate(value: string): Credential | undefined {
    const scope = this.#scope();
    if (scope === undefined) return undefined;
    if (scope !== this.#rememberedScope) {
      this.#remembered.clear();
      this.#rememberedScope = scope;
    }
    const known = this.#remembered.get(value) ?? this.#find(value, scope);
    if (known === undefined) return undefined;
    const isOver = known.notAfterMs !== Number.POSITIVE_INFINITY && known.notAfterMs <= this.#clock.now().getTime();
    return isOver ? undefined : known.credential;
  }

  // Expiry is checked before the scope.
  #find(value: string, scope: BundleScope): Remembered | undefined {
    const digest = tokenDigest(value).toString("hex");
    const token = this.#tokens.get(digest);
    if (token === undefined) return undefined;
    const { notAfter } = token;
    if (notAfter !== undefined && timestampDate(notAfter) <= this.#clock.now()) return undefined;
    const { kind, projectId, environment } = token;
    if (kind === CredentialKind.RUNTIME && (projectId !== scope.projectId || environment !== scope.environment)) {
      throw insufficientScope("this runtime token is for another project or environment");
    }
    const credential = {
      kind,
      id: digest.slice(0, 16),
      label: shownPrefix(value),
      orgId: scope.orgId,
      projectId: projectId === "" ? undefined : projectId,
      environment: environment === "" ? undefined : environment,
      roles: new Map(),
    };
    const known = {
      credential,
      notAfterMs: notAfter === undefined ? Number.POSITIVE_INFINITY : timestampDate(notAfter).getTime(),
    };
    this.#remembered.set(value, known);
    return known;
  }
}

// Passwords at rest: argon2id (RFC 9106) with the parameters that OWASP's Password Storage Cheat Sheet recommends, as
// PHC strings. A hash takes 19 MiB and tens of milliseconds by design, so only a few are computed at a time and only so
// many wait.

import { type Argon2Parameters, argon2, randomBytes, timingSafeEqual } from "node:crypto";
import { availableParallelism } from "node:os";
import { promisify } from "node:util";
import { Reason } from "../../../gen/policyguard/common/v1/reason_pb.ts";
import { Fault } from "../../kit/fault/fault.ts";

/** Cost of a hash. */
interface Cost {
  readonly memoryKiB: number;
  readonly passes: number;
  readonly parallelism: number;
}

const cost: Cost = { memoryKiB: 19_456, passes: 2, parallelism: 1 };
const saltBytes = 16;
const tagBytes = 32;
/** More would take threads from the other work of the thread pool. */
const maxRunning = Math.min(4, availableParallelism());
/** Calls that may wait: about four seconds of work on two cores. */
const maxWaiting = 100;

const compute = promisify(argon2);

/** The result of a check. */
export interface PasswordCheck {
  readonly matches: boolean;
  /** The hash has another cost than new ones have: replace it while the password is at hand. */
  readonly outdated: boolean;
}

/** Hashes and checks passwords. */
export class PasswordHasher {
  #running = 0;
  readonly #waiting: (() => void)[] = [];
  // Checked when there is no account, so that the answer takes the same time.
  readonly #nobody = format(cost, randomBytes(saltBytes), randomBytes(tagBytes));

  /** The hash to store. */
  async hash(password: string): Promise<string> {
    const salt = randomBytes(saltBytes);
    return format(cost, salt, await this.#compute(password, salt, cost, tagBytes));
  }

  /** Checks a password against a stored hash. Without a hash it never matches, and takes the same time. */
  async check(password: string, stored: string | null | undefined): Promise<PasswordCheck> {
    const { salt, tag, ...used } = parse(stored ?? this.#nobody);
    const matches = timingSafeEqual(await this.#compute(password, salt, used, tag.length), tag);
    const isCurrent =
      used.memoryKiB === cost.memoryKiB && used.passes === cost.passes && used.parallelism === cost.parallelism;
    return { matches: matches && stored != null, outdated: !isCurrent };
  }

  async #compute(password: string, salt: Buffer, { memoryKiB, passes, parallelism }: Cost, tagLength: number) {
    const message = Buffer.from(password.normalize("NFKC"), "utf8");
    const parameters: Argon2Parameters = {
      ...{ message, nonce: salt, memory: memoryKiB, passes, parallelism, tagLength },
    };
    await this.#begin();
    try {
      return await compute("argon2id", parameters);
    } finally {
      this.#end();
    }
  }

  async #begin(): Promise<void> {
    if (this.#running < maxRunning) {
      this.#running += 1;
      return;
    }
    if (this.#waiting.length >= maxWaiting) throw overloaded();
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  // The next call takes over the slot.
  #end(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#running -= 1;
    else next();
  }
}

/** The fault of a process with too many sign-ins at once. */
export function overloaded(): Fault {
  return new Fault(Reason.OVERLOADED, "too many sign-ins at the same time; try again in a second", {
    extra: { retry_after: 1 },
    headers: { "Retry-After": "1" },
  });
}

// https://github.com/P-H-C/phc-string-format/blob/master/phc-sf-spec.md
function format({ memoryKiB, passes, parallelism }: Cost, salt: Buffer, tag: Buffer): string {
  return `$argon2id$v=19$m=${memoryKiB},t=${passes},p=${parallelism}$${unpadded(salt)}$${unpadded(tag)}`;
}

const form = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

function parse(stored: string): Cost & { readonly salt: Buffer; readonly tag: Buffer } {
  const match = form.exec(stored);
  if (match === null) throw new Error("a stored password hash is not an argon2id PHC string");
  const [memoryKiB, passes, parallelism] = match.slice(1, 4).map(Number);
  const [salt, tag] = match.slice(4).map((text) => Buffer.from(text, "base64"));
  if (memoryKiB === undefined || passes === undefined || parallelism === undefined) throw new Error("no cost");
  if (salt === undefined || tag === undefined) throw new Error("no salt");
  return { memoryKiB, passes, parallelism, salt, tag };
}

function unpadded(bytes: Buffer): string {
  return bytes.toString("base64").replace(/=+$/, "");
}

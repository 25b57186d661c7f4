// Promotion at work: at the same moment, beside a freeze, and all the way to a runtime.

import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SigningKeys } from "../../../src/domain/signing-keys.ts";
import { eventually } from "../../harness/eventually.ts";
import { type Installation, startInstallation } from "../../harness/installation.ts";

let home: Installation;
let policyId: string;

beforeAll(async () => {
  home = await startInstallation();
  policyId = await home.createPolicy(policyOf("forbidden"));
  await home.publish();
});

afterAll(() => home.stop());

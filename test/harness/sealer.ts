// The master key of tests, and a sealer with it: what a test stores itself, the control plane can open.

import { randomBytes } from "node:crypto";
import { createSealer, parseMasterKeys } from "../../src/platform/seal.ts";

/** As POLICY_GUARD_MASTER_KEY has it. */
export const testMasterKey = randomBytes(32).toString("base64");

/** Seals and opens with it. */
export const testSealer = createSealer({ masterKeys: parseMasterKeys(testMasterKey) });

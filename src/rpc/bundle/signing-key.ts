import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import {
  KeyHolder,
  KeyState,
  KeyUse,
  type ManagedKeySchema,
} from "../../../gen/policyguard/control/v1/signing_key_pb.ts";
import type { SigningKeyService } from "../../../gen/policyguard/control/v1/signing_key_service_pb.ts";
import type { KeyRotation } from "../../domain/bundle/key-rotation.ts";
import type { KeySetState } from "../../kit/bundle/statement-payload.ts";
import { callerOf } from "../../kit/rpc/context.ts";
import { entriesOf, pageOf } from "../../kit/rpc/page.ts";
import { timestamp } from "../time.ts";

type Row = Awaited<ReturnType<KeyRotation["rotate"]>>;

const states: Readonly<Record<KeySetState, KeyState>> = {
  active: KeyState.ACTIVE,
  retiring: KeyState.RETIRING,
  revoked: KeyState.REVOKED,
};

/** Handlers of SigningKeyService. */
export function signingKeyHandlers(keys: KeyRotation): ServiceImpl<typeof SigningKeyService> {
  return {
    listManagedKeys: async (request, context) => {
      const page = pageOf(request);
      const rows = await keys.list(callerOf(context), useOf(request.use));
      return { total: rows.length, ...page, signingKeys: entriesOf(rows, page).map(keyMessage) };
    },
    rotateSigningKey: async ({ use }, context) => ({
      key: keyMessage(await keys.rotate(callerOf(context), useOf(use))),
    }),
    revokeSigningKey: async ({ kid }, context) => ({ key: keyMessage(await keys.revoke(callerOf(context), kid)) }),
  };
}

function useOf(use: KeyUse | undefined): Row["use"] {
  return use === KeyUse.LOG ? "log" : "bundle";
}

function keyMessage(row: Row): MessageInitShape<typeof ManagedKeySchema> {
  const state: KeySetState = row.state;
  return {
    kid: row.kid,
    state: states[state],
    holder: row.privateSealed == null ? KeyHolder.SIGNER : KeyHolder.DATABASE,
    createdAt: timestamp(row.createdAt),
    retiringAt: timestamp(row.retiringAt),
    revokedAt: timestamp(row.revokedAt),
    use: row.use === "log" ? KeyUse.LOG : KeyUse.BUNDLE,
  };
}

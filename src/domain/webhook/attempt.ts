// An attempt to deliver to a webhook: claimed, then made.

import type { ClaimedDelivery } from "../../store/webhook/delivery.ts";
import type { DeliveryTarget } from "../../store/webhook/webhook.ts";
import type { SendAnswer, SigningSecrets } from "./request.ts";

/** An attempt that this process is to make. */
export interface Attempt extends ClaimedDelivery {
  readonly webhook: DeliveryTarget;
  readonly secrets: SigningSecrets;
}

/** An attempt that was made. */
export interface SentAttempt {
  readonly attempt: Attempt;
  readonly sentAt: Date;
  readonly durationMs: number;
  readonly answer: SendAnswer;
}

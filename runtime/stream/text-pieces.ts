// A text that comes in pieces. Whoever cuts it by UTF-16 units, as JavaScript does, also cuts surrogate pairs.

import { malformedRequest } from "../../src/kit/error.ts";
import { withoutHalves } from "../../src/kit/surrogate.ts";

/** Joins the pieces of one text, and keeps back half of a pair until the other half comes. */
export class TextPieces {
  #half = "";

  /** Units that are kept back. */
  get heldBack(): number {
    return this.#half.length;
  }

  /** What is whole with this piece. Throws malformed_request, and takes nothing, for a half that has no other half beside it. */
  add(piece: string): string {
    if (piece === "") return "";
    const { before, whole, after } = withoutHalves(this.#half + piece);
    if (before !== "" || !whole.isWellFormed()) throw malformedRequest("the delta has an unpaired surrogate");
    this.#half = after;
    return whole;
  }

  /** Throws malformed_request when the other half never came. */
  end(): void {
    if (this.#half !== "") throw malformedRequest("the text ends with half of a surrogate pair");
  }
}

// A text that comes in chunks. A caller that cuts it between UTF-16 code units, as JavaScript does, may cut a surrogate
// pair.

import { malformedRequest } from "../../src/kit/fault/fault.ts";
import { withoutHalves } from "../../src/kit/protobuf/surrogate.ts";

/** Joins the chunks of one text, and holds back half of a pair until the other half comes. */
export class TextChunks {
  #half = "";

  /** Code units that are held back. */
  get heldBack(): number {
    return this.#half.length;
  }

  /**
   * The text that is complete with this chunk: after "a\ud83d", which gives "a", "\ude00b" gives "😀b". Throws
   * malformed_request, and takes nothing, for a half without its other half.
   */
  add(chunk: string): string {
    if (chunk === "") return "";
    const { before, whole, after } = withoutHalves(this.#half + chunk);
    if (before !== "" || !whole.isWellFormed()) throw malformedRequest("the delta has an unpaired surrogate");
    this.#half = after;
    return whole;
  }

  /** Throws malformed_request when the other half never came. */
  end(): void {
    if (this.#half !== "") throw malformedRequest("the text ends with half of a surrogate pair");
  }
}

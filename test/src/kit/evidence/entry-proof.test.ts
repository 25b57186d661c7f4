// Proofs of single entries: what the leaf says has to belong to where the proof says that it is.

import { describe, expect, it } from "vitest";
import { checkpointText } from "../../../../src/kit/evidence/checkpoint.ts";
import { verifyEntryProof } from "../../../../src/kit/evidence/entry-proof.ts";
import { leafHash } from "../../../../src/kit/evidence/leaf.ts";
import { inclusionRanges } from "../../../../src/kit/evidence/merkle.ts";
import { NoteError } from "../../../../src/kit/evidence/note.ts";
import { rangeHashes } from "../../../../src/kit/evidence/tile.ts";
import { MadeLog, madeOrigin } from "../../../harness/made-log.ts";

const log = new MadeLog().grow(300);
const leafOf = (seq: number) => log.entries[seq]?.leaf ?? "";

describe("a proof of an entry", () => {
  it("proves what its leaf says, and nothing about another leaf", () => {
    const path = rangeHashes(inclusionRanges(257, log.size), log.tileAt);
    const proof = { extra: undefined, index: 257, path, checkpoint: log.checkpoint() };
    expect(verifyEntryProof(proof, leafOf(257), [log.key])).toMatchObject({
      head: { origin: madeOrigin, size: 300 },
      members: { seq: 257, v: 2 },
    });
    expect(() => verifyEntryProof(proof, leafOf(256), [log.key])).toThrow(NoteError);
  });

  it("is refused when the log itself signed a leaf that is none of form 2 at this place", () => {
    const leaf = leafOf(0);
    for (const [signed, message] of [
      [leaf.replace('"v":2', '"v":3'), "another form than 2"],
      [leaf.replace('"seq":0', '"seq":5'), "another number"],
      [leaf.replace('"org_id":"5', '"org_id":"6'), "another organization"],
      [leaf.replace(/"action":"[^"]*"/, '"action":[[]]'), "other values"],
      ["no JSON", "another form than 2"],
      ["null", "another form than 2"],
    ] as const) {
      const checkpoint = log.signed(checkpointText({ origin: madeOrigin, size: 1, root: leafHash(signed) }));
      const proof = { extra: undefined, index: 0, path: [], checkpoint };
      expect(() => verifyEntryProof(proof, signed, [log.key])).toThrow(message);
    }
  });
});

// Checkpoints, notes and proofs as texts, with the examples of the C2SP specifications.

import { generateKeyPairSync, sign } from "node:crypto";
import { describe, expect, it } from "vitest";
import {
  checkpointText,
  readCheckpoint,
  readTlogProof,
  tlogProofText,
  verifyCheckpoint,
  verifyTlogProof,
} from "../../../../src/kit/evidence/checkpoint.ts";
import {
  type NoteKey,
  readNote,
  readVerifierKey,
  signatureLine,
  verifierKeyText,
  verifyNote,
} from "../../../../src/kit/evidence/note.ts";
import { plainPath, plainRoot, someLeaves } from "./tree.ts";

const poem = `Ognuno sta solo sul cuor della terra
trafitto da un raggio di sole:

ed è subito sera.

— quasimodo.example/salvatore NnugSzTjtVAewIS+Z/iJhUPeFDkO/5QQ2i5ddnGITLlC+EhfLW9oJKONrMouFSQU0xMcXxj99ihAQwaqP3ZekRwNtIc=
`;

const sofa = `example.com/behind-the-sofa
20852163
CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=

— example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=
`;

const fancy = `c2sp.org/tlog-proof@v1
extra YWdlLXYxLjIuMS1kYXJ3aW4tYXJtNjQudGFyLmd6kYXJ3aW4tYXJ
index 73894
gSKyXoYZUgZ6jduWYrkDOARinOMGJveXjgMkBTcdPlQ=
B95lDa8R83lS8n0eG+o0buTxRKQTYFi//1U8anccXmA=
EKNzoDWG8LGC0Yp9o+sv3qllpMP9uHQ9B20KNL+Q1zs=
RoopEkOdqkYqMB4MJXrbt/hMjOxsVn0IrWjpz1ZMMes=
AHCioX9nLjsrse6YhjRRmk1WUEirVOLLRoOQ6vfO5vk=

example.com/fancylog
109482
sFodV/vSp5O8n9a8QpW6PRY97tfOSW5bsc2Xl/EQi08=

`;

function newKey(name: string): NoteKey & { readonly signed: (text: string) => string } {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const key = { name, key: publicKey };
  return {
    ...key,
    signed: (text) => `${text}\n${signatureLine(key, sign(null, Buffer.from(text), privateKey))}`,
  };
}

describe("signed notes", () => {
  it("read as the specification's example, whose text has an empty line", () => {
    const { text, signatures } = readNote(poem);
    expect(text.endsWith("ed è subito sera.\n")).toBe(true);
    expect(signatures.map(({ name }) => name)).toEqual(["quasimodo.example/salvatore"]);
    expect(signatures[0]?.signature).toHaveLength(64);
  });

  it("verify as those of Go's checksum database, whose format this is", () => {
    const neumann = readVerifierKey("PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW");
    const note =
      "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n\n" +
      "— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n";
    expect(verifyNote(note, [neumann]).text).toContain("what your problem is");
    expect(() => verifyNote(note.replace("answer", "Answer"), [neumann])).toThrow("does not fit");
    expect(verifierKeyText(neumann)).toBe("PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW");
  });

  it("ignore signatures of unknown keys, and are refused when a known one is wrong or none is there", () => {
    const [known, other] = [newKey("log.example/a"), newKey("log.example/a")];
    const text = "one\n";
    const both = known.signed(text) + other.signed(text).slice(text.length + 1);
    expect(verifyNote(both, [known]).signatures).toHaveLength(2);
    expect(() => verifyNote(other.signed(text), [known])).toThrow("none of the given keys");
    const torn = known.signed(text).replace("one", "two");
    expect(() => verifyNote(torn + other.signed("two\n").slice(5), [known, other])).toThrow("does not fit");
  });

  it.each([
    ["no empty line", "text\n"],
    ["no last newline", poem.slice(0, -1)],
    ["a control character", poem.replace("sera", "se\tra")],
    ["a lone surrogate", poem.replace("sera", "\ud800")],
    ["a name with a plus", poem.replace("example/", "example+")],
    ["base64 with spare bits", poem.replace("RwNtIc=", "RwNtId=")],
    ["a short signature", "text\n\n— a AAAA\n"],
    ["too many signatures", `text\n\n${"— a AAAAAAA=\n".repeat(65)}`],
  ])("are refused with %s", (_, note) => {
    expect(() => readNote(note)).toThrow();
  });

  it.each(["", "a+00000000+AA==", "sum.golang.org+033de0af+Ac4zctda0e5eza+HJyk9SxEdh+s3Ux18htTTAD8OuAn8", "a b+0+x"])(
    "do not take %j for a key",
    (text) => expect(() => readVerifierKey(text)).toThrow(),
  );
});

describe("checkpoints", () => {
  it("read as the specification's example", () => {
    const head = readCheckpoint(sofa);
    expect(head).toMatchObject({ origin: "example.com/behind-the-sofa", size: 20_852_163 });
    expect(sofa.startsWith(`${checkpointText(head)}\n`)).toBe(true);
  });

  it("count only when a key of their own origin signed them", () => {
    const [own, other] = [newKey("log.example/a"), newKey("log.example/b")];
    const text = checkpointText({ origin: "log.example/a", size: 0, root: plainRoot([]) });
    expect(verifyCheckpoint(own.signed(text), [own, other]).size).toBe(0);
    expect(() => verifyCheckpoint(other.signed(text), [other])).toThrow("of the log log.example/a");
    expect(() => verifyCheckpoint(other.signed(text), [own, other])).toThrow("none of the given keys");
  });

  it.each([
    ["a size with a zero in front", sofa.replace("\n20", "\n020")],
    ["a negative size", sofa.replace("\n20", "\n-20")],
    ["a size beyond what is counted", sofa.replace("20852163", "9007199254740993")],
    ["a short root", sofa.replace("CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=", "CsUY")],
    ["no origin", sofa.slice(sofa.indexOf("\n"))],
    ["an empty line in it", sofa.replace("\n\n", "\n\nmore\n\n")],
  ])("are refused with %s", (_, note) => {
    expect(() => readCheckpoint(note)).toThrow();
  });
});

describe("proofs", () => {
  it("read and write as the specification's example", () => {
    const proof = readTlogProof(fancy);
    expect(proof).toMatchObject({ index: 73_894, path: { length: 5 } });
    expect(tlogProofText(proof)).toBe(fancy);
  });

  it("lead from a leaf to a checkpoint that a key of the log signed", () => {
    const log = newKey("log.example/a");
    const leaves = someLeaves(11);
    const checkpoint = log.signed(checkpointText({ origin: log.name, size: 11, root: plainRoot(leaves) }));
    const text = tlogProofText({ extra: undefined, index: 7, path: plainPath(7, leaves), checkpoint });
    const [leaf, another] = [leaves[7] ?? Buffer.of(), leaves[8] ?? Buffer.of()];
    expect(verifyTlogProof(readTlogProof(text), leaf, [log]).size).toBe(11);
    expect(() => verifyTlogProof(readTlogProof(text), another, [log])).toThrow("does not lead");
    expect(() => verifyTlogProof(readTlogProof(text), leaf, [newKey("log.example/a")])).toThrow("none of the given");
  });

  it.each([
    ["another first line", fancy.replace("@v1", "@v2")],
    ["no index", fancy.replace("index 73894\n", "")],
    ["an index with a zero in front", fancy.replace("index 7", "index 07")],
    ["a short hash", fancy.replace("gSKyXoYZUgZ6jduWYrkDOARinOMGJveXjgMkBTcdPlQ=", "gSKy")],
    ["no checkpoint", fancy.slice(0, fancy.indexOf("\n\n"))],
  ])("are refused with %s", (_, text) => {
    expect(() => readTlogProof(text)).toThrow();
  });
});

// Reads XML with a parser that is not ours.

import { execFileSync } from "node:child_process";

/** An element. */
export interface XmlNode {
  readonly tag: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/** Whether a program is there. */
export function hasProgram(name: string): boolean {
  try {
    execFileSync(name, ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** All elements of a document, in order. Throws when it is not well-formed. */
export function xmlNodes(text: string): XmlNode[] {
  const script =
    "import json, sys, xml.etree.ElementTree as tree\n" +
    "print(json.dumps([{'tag': e.tag, 'attributes': e.attrib} for e in tree.fromstring(sys.stdin.buffer.read()).iter()]))";
  return JSON.parse(execFileSync("python3", ["-c", script], { input: text, encoding: "utf8" }));
}

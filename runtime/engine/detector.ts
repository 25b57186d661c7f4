// What a detector is to the rest of the engine. Detectors find; rules decide.

import type { JsonObject } from "@bufbuild/protobuf";
import type { KnownWindows } from "./plan.ts";

/** One thing found in one text. Offsets are UTF-16 code units of the text as it was given. */
export interface Detection {
  /** What kind of thing, such as "pii.email". */
  readonly category: string;
  readonly start: number;
  readonly end: number;
  /** Certainty, 0 to 1. */
  readonly score: number;
  /** The form of the text in which it was found, such as "plain" or "base64". */
  readonly layer: string;
  /** What conditions may ask about it, such as the domain of an e-mail address. */
  readonly attributes?: Readonly<Record<string, string>>;
}

/** A detector as a policy asks for it: an entry of the catalog with parameters. */
export interface DetectorSpec {
  /** Unique among the specs that are compiled together. */
  readonly key: string;
  /** Id of a catalog entry, such as "pii". */
  readonly use: string;
  readonly parameters: JsonObject;
}

/** Something wrong with a detector's parameters. `path` is relative to them, such as "patterns[2]". */
export interface ParameterProblem {
  readonly path: string;
  readonly message: string;
  /** A likely correction, when there is one. */
  readonly suggestion?: string;
}

/** A figure with its data. */
export interface DetectorMeasure {
  /** What was measured, such as "recall". */
  readonly name: string;
  /** Between 0 and 1. */
  readonly value: number;
  /** The texts, and how many they are. */
  readonly data: string;
}

/** A text and the categories of what is found in it; none for a text in which nothing must be found. */
export interface DetectorExample {
  readonly text: string;
  readonly categories: readonly string[];
  /** Parameters, where the example needs some. */
  readonly parameters?: JsonObject;
}

/** How readily something counts, from the most readily on. */
export const sensitivityNames = ["strict", "balanced", "permissive"] as const;

/** The threshold of each sensitivity. */
export type Sensitivities = Readonly<Record<(typeof sensitivityNames)[number], number>>;

/** An entry of the detector catalog. It serves the engine, the policy editor and the public hub alike. */
export interface DetectorDefinition {
  readonly id: string;
  readonly displayName: string;
  readonly description: string;
  readonly version: string;
  readonly category: string;
  readonly tags: readonly string[];
  /** Categories that its detections may have. */
  readonly categories: readonly string[];
  /** Entity names that its `entities` parameter takes; empty when it has no such parameter. */
  readonly entities: readonly string[];
  /** BCP 47 tags; ["*"] for every language. */
  readonly languages: readonly string[];
  /** What it costs: "constant", "linear", "model" or "backend". */
  readonly costClass: string;
  /** How much text a detection depends on: a bounded neighbourhood, fixed windows, or all of it. */
  readonly scope: "local" | "window" | "whole";
  /** Score from which a rule matches when the policy names no threshold. */
  readonly defaultThreshold: number;
  /**
   * Thresholds by a name that policies may give as `sensitivity` instead; absent where certainty has no degrees, or where the detector has
   * a parameter of that name.
   */
  readonly sensitivities?: Sensitivities;
  /** JSON Schema (2020-12) of the parameters. */
  readonly parameters: JsonObject;
  /** Where the forms, algorithms and lists that it goes by are described. */
  readonly references: readonly string[];
  /** How well it does on labelled texts, as far as that was measured. `data` says whether it was tuned on them. */
  readonly measures: readonly DetectorMeasure[];
  /** Texts with what it finds in them by its default parameters, as a test holds it to. */
  readonly examples: readonly DetectorExample[];
  /** What the schema cannot say, such as that a pattern compiles. Empty when all is well. */
  readonly check: (parameters: JsonObject) => readonly ParameterProblem[];
}

/**
 * Who wrote a text, as far as it matters for how readily it counts as an attack: somebody in a conversation, the writers of documents and
 * the makers of tool answers, or those who run the application.
 */
export type TextSource = "chat" | "document" | "trusted";

/** Detections of a text by the key of their spec. A key without detections is absent. */
export type Found = ReadonlyMap<string, readonly Detection[]>;

/** Takes the time of a scan, part by part: told, after each, the key of the spec that it was for; undefined when it was for all. */
export type Lap = (key: string | undefined) => void;

/** All detectors of a bundle, compiled together, so that a text is scanned once. */
export interface Scanner {
  /** Detections by the key of their spec. A key without detections is absent. Default: a text of a conversation. */
  readonly scan: (
    text: string,
    windows?: KnownWindows,
    source?: TextSource,
    lap?: Lap,
  ) => ReadonlyMap<string, readonly Detection[]>;
  /** The forms of a text that the scan reads. */
  readonly formsOf: (text: string) => readonly TextForm[];
  /** Compiles, step by step, the patterns that scans would compile when they first need them. It spares some scan the time. */
  readonly preparePatterns?: () => Generator<void, void>;
  /** The same for the tables that patterns share. */
  readonly prepareTables?: () => Generator<void, void>;
}

/** A form of a text, such as the one with invisible characters taken out. */
export interface TextForm {
  readonly layer: string;
  readonly text: string;
  /** The part of the text, as it was given, that it was made from. */
  readonly start: number;
  readonly end: number;
  /** Keys of the specs that read it. */
  readonly readers: readonly string[];
}

// The interface of detectors to the rest of the engine. Detectors find; rules decide.

import type { JsonObject } from "@bufbuild/protobuf";
import type { OverlaySet } from "../languages/overlay-set.ts";
import type { KnownWindows } from "./finding.ts";

/** One detection in one text. Offsets are UTF-16 code units of the given text: in "a😀b", "b" starts at 3. */
export interface Detection {
  /** The kind of detection, such as "pii.email". */
  readonly category: string;
  readonly start: number;
  readonly end: number;
  /** Certainty, 0 to 1. */
  readonly score: number;
  /** The form of the text in which it was found, such as "plain" or "base64". */
  readonly layer: string;
  /** Attributes that conditions may read, such as the domain of an e-mail address. */
  readonly attributes?: Readonly<Record<string, string>>;
}

/** A detector as a policy uses it: a catalog entry with parameters. */
export interface DetectorSpec {
  /** Unique among the specs that are compiled together. */
  readonly key: string;
  /** Id of a catalog entry, such as "pii". */
  readonly use: string;
  readonly parameters: JsonObject;
  /** What the language overlays of the bundle add to it; absent when that is nothing. */
  readonly overlay?: OverlaySet;
}

/** A problem with a detector's parameters. `path` is relative to them, such as "patterns[2]". */
export interface ParameterProblem {
  readonly path: string;
  readonly message: string;
  /** A likely correction, when there is one. */
  readonly suggestion?: string;
}

/** A figure with its data. */
export interface DetectorMeasure {
  /** The measured quantity, such as "recall". */
  readonly name: string;
  /** Between 0 and 1. */
  readonly value: number;
  /** The texts of the measurement, and their number. */
  readonly data: string;
}

/** A text and the categories that are found in it; none for a text without findings. */
export interface DetectorExample {
  readonly text: string;
  readonly categories: readonly string[];
  /** Parameters, where the example needs some. */
  readonly parameters?: JsonObject;
}

/** Sensitivities, from the one that finds most. */
export const sensitivityNames = ["strict", "balanced", "permissive"] as const;

/** The threshold of each sensitivity. */
export type Sensitivities = Readonly<Record<(typeof sensitivityNames)[number], number>>;

/** An entry of the detector catalog, for the engine, the policy editor and the public hub. */
export interface DetectorDefinition {
  readonly id: string;
  readonly displayName: string;
  readonly description: string;
  readonly version: string;
  readonly category: string;
  readonly tags: readonly string[];
  /** Categories that its detections may have. */
  readonly categories: readonly string[];
  /** Names that its parameter `entities` accepts; empty when it has no such parameter. */
  readonly entities: readonly string[];
  /** BCP 47 tags; ["*"] for every language. */
  readonly languages: readonly string[];
  /** The cost class: "constant", "linear", "model" or "backend". */
  readonly costClass: string;
  /** How much text a detection depends on: a bounded neighbourhood, fixed windows, or the whole text. */
  readonly scope: "local" | "window" | "whole";
  /** The minimum score for a match when the policy names no threshold. */
  readonly defaultThreshold: number;
  /** The least score that it reports, so that a lower threshold finds nothing more; 0 where there is no least. */
  readonly floor: number;
  /**
   * Thresholds by the name that policies may give as `sensitivity`; absent where scores have no degrees, or where the
   * detector has a parameter of that name.
   */
  readonly sensitivities?: Sensitivities;
  /** JSON Schema (2020-12) of the parameters. */
  readonly parameters: JsonObject;
  /** Descriptions of the formats, algorithms and lists that it uses. */
  readonly references: readonly string[];
  /** Its quality on labelled texts, as far as measured. `data` says whether it was tuned on them. */
  readonly measures: readonly DetectorMeasure[];
  /** Texts with the findings of its default parameters, which a test verifies. */
  readonly examples: readonly DetectorExample[];
  /** Checks parameters beyond their schema, for example that a pattern compiles. Empty when there are no problems. */
  readonly check: (parameters: JsonObject) => readonly ParameterProblem[];
}

/**
 * The source of a text, as far as it matters for injection: a participant in a conversation, authors of documents and
 * tool results, or the operator of the application.
 */
export type TextSource = "chat" | "document" | "trusted";

/** Detections of a text by the key of their spec. A key without detections is absent. */
export type Found = ReadonlyMap<string, readonly Detection[]>;

/** Detections in one segment; undefined when it was not scanned in time. */
export type SegmentDetections = Found | undefined;

/** Called after each part of a scan with the key of the spec that the part was for; undefined when it was for all. */
export type Lap = (key: string | undefined) => void;

/** All detectors of a bundle, compiled together, so that a text is scanned once. */
export interface Scanner {
  /** Detections by the key of their spec. A key without detections is absent. Default source: "chat". */
  readonly scan: (
    text: string,
    windows?: KnownWindows,
    source?: TextSource,
    lap?: Lap,
  ) => ReadonlyMap<string, readonly Detection[]>;
  /**
   * The highest score of each detector for a text, by the key of every spec, also when it is too low for a detection;
   * undefined when there is none. It costs as much as a scan.
   */
  readonly scores?: (text: string, source?: TextSource) => ReadonlyMap<string, Detection | undefined>;
  /** The forms of a text that the scan reads. */
  readonly formsOf: (text: string) => readonly TextForm[];
  /** Compiles, step by step, the patterns that scans would otherwise compile on first use. */
  readonly preparePatterns?: () => Generator<void, void>;
  /** The same for the tables that patterns share. */
  readonly prepareTables?: () => Generator<void, void>;
}

/** A form of a text, such as the one without invisible characters. */
export interface TextForm {
  readonly layer: string;
  readonly text: string;
  /** The span of the given text from which it was made. */
  readonly start: number;
  readonly end: number;
  /** Keys of the specs that read it. */
  readonly readers: readonly string[];
}

// Why a model is out. The code stands in /readyz, in metrics and in the state of the fleet; the message is for the log.

/** The codes of failures to load a model. */
export type LoadFailureCode =
  | "size_limit"
  | "link_refused"
  | "file_missing"
  | "settings_invalid"
  | "external_data_refused"
  | "tokenizer_invalid"
  | "graph_invalid"
  | "labels_mismatch"
  | "fixture_mismatch"
  | "load_crashed";

/** A folder that is no model which this host can run. */
export class LoadFailure extends Error {
  override readonly name = "LoadFailure";
  readonly code: LoadFailureCode;

  constructor(code: LoadFailureCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

// How the searches of a form report findings.

import type { Finding } from "../detectors/finding.ts";

/** Called with each finding; its offsets are those of the form. */
export type FormReport = (job: number, finding: Finding) => void;

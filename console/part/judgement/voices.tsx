import { en } from "../../text/en.ts";
import { decimal } from "../../text/format.ts";
import layout from "../layout/layout.module.css";

const texts = en.voices;

/** What came of one backend in a segment, which is not named where only one is shown. */
export interface Voice {
  readonly detectors: readonly string[];
  readonly backend: string;
  readonly reason: string;
  readonly segment?: string;
  readonly score?: number | undefined;
  readonly ownScore?: number | undefined;
}

/** Both voices of each detector that has a backend: what the backend said, or why it was silent, and its own score. */
export function Voices({ voices }: { readonly voices: readonly Voice[] }) {
  return (
    <ul aria-label={texts.title} className={layout.wrap}>
      {voices.map((voice) => (
        <li key={`${voice.segment} ${voice.backend} ${voice.detectors.join(" ")}`}>
          {voice.detectors.join(", ")}
          {voice.segment !== undefined && ` · ${voice.segment}`} · <code>{voice.backend}</code> {saidBy(voice)}
          {voice.ownScore !== undefined && `; ${texts.own(rounded(voice.ownScore))}`}
        </li>
      ))}
    </ul>
  );
}

function saidBy({ score, reason }: Voice): string {
  if (score === undefined) return texts.silent[reason] ?? texts.failed(reason);
  return reason === "" ? texts.scored(rounded(score)) : texts.scoredPart(rounded(score));
}

function rounded(score: number): string {
  return decimal(Math.round(score * 1_000) / 1_000);
}

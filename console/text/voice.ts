/** What is said of detector backends: the second voice beside what a detector found itself. */
export const voiceTexts = {
  title: "What detector backends said",
  scored: (score: string) => `scored ${score}`,
  scoredPart: (score: string) => `scored ${score} for a part of the text`,
  own: (score: string) => `the detector itself ${score}`,
  silent: {
    stage: "not asked at this stage",
    origin: "not asked about this origin",
    between: "not asked, since the detector's own score decides",
    no_rule: "not asked, since no rule of this stage asks it",
    backend_unavailable: "not asked, since nobody asks backends there",
    timeout: "no answer in time",
    model_busy: "not asked, since it could not have answered in time",
    circuit_open: "not asked, since it failed repeatedly",
  } as Readonly<Record<string, string>>,
  failed: (reason: string) => `no answer: ${reason.replaceAll("_", " ")}`,
};

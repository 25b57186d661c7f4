// Sentences of people at risk in Swedish, written for this product.

import { intent, means, type RiskSentence } from "../self-harm-part.ts";

/** The sentences. */
export const selfHarm: readonly RiskSentence[] = [
  intent(
    "\\bjag (?:vill|tänker|ska|kommer att)(?: bara| verkligen)? (?:dö|ta livet av mig|ta mitt liv|begå självmord|skada mig själv|skära mig|avsluta mitt liv)|\\b(?:imorgon|ikväll|idag|i natt) tar jag (?:livet av mig|mitt liv)|\\btänker (?:.{1,12} )?på självmord|\\bjälvmordstankar (?:i|varje)|\\b(?:jag|mina) .{0,30}självmordstankar|\\bbättre utan mig\\b|\\binget (?:kvar )?att leva för|\\bjag är en börda för|\\bjag (?:orkar|klarar) inte (?:leva|mer)|\\bjag önskar (?:att )?jag var död|\\bjag har självmordstankar|\\bjag (?:skar|skär) mig (?:igen|själv|i armarna)",
    { unlessBehind: /^ (?:av|i håret)/i },
  ),
  intent("\\bjag vill inte leva\\b", {
    unlessBehind: /^ (?:i|på|med|hos|utan|här|ensam|så)(?![\p{L}])/iu,
  }),
  intent(
    "\\b(?:han|hon|min [a-zåäö]+)(?: .{1,20})? (?:säger|vill|hotar)(?: .{1,30})? (?:ta (?:sitt liv|livet av sig)|begå självmord|vill dö)",
  ),
  means(
    "\\bhur många .{1,40} (?:för att dö|att ta livet)|\\bsättet? .{0,30}(?:ta livet av sig|ta livet av mig|begå självmord|att dö på)|\\bhur (?:tar jag|begår jag|kan jag ta) (?:livet av mig|självmord|mitt liv)",
  ),
];

// Sentences of people at risk in Finnish, written for this product.

import { intent, means, type RiskSentence } from "../self-harm-part.ts";

/** The sentences. */
export const selfHarm: readonly RiskSentence[] = [
  intent(
    "(?:haluan|aion|haluaisin) (?:vain )?(?:kuolla|tappaa itseni|tehdä itsemurhan|satuttaa itseäni|viillellä)|\\b(?:huomenna|tänään|ensi yönä) tapan itseni|ajattelen (?:.{1,12} )?itsemurhaa|ajattelen itsemurhaa|itsetuhoisia ajatuksia|itsemurha-ajatuksia|ei mitään syytä elää|ei ole (?:enää )?mitään,? minkä vuoksi elää|olen taakka|toivon,? että olisin kuollut|olisinpa kuollut|tekee mieli (?:kuolla|viillellä)|satutan itseäni|parempi ilman minua|viiltelin (?:taas|itseäni)",
    { unlessBehind: /^ (?:nauru|nälk|onnellisena|vanhana)/i },
  ),
  intent("en (?:halua|jaksa) enää (?:elää|olla olemassa)", {
    unlessBehind: /^ (?:\p{L}+ss[aä]|ilman|yksin)(?![\p{L}])/iu,
  }),
  intent(
    "(?:sanoo|uhkaa|haluaa)(?: .{1,20})? (?:haluavansa (?:tappaa itsensä|kuolla)|tappaa itsensä|tappavansa itsensä|tehdä itsemurhan)",
  ),
  means("(?:montako|kuinka monta) .{1,40}(?:kuolemaan|kuollakseni)|kivutto\\pL+ tapa .{0,30}(?:itsemurha|kuolla)"),
];

// Sentences of people at risk in Dutch, written for this product.

import { intent, means, type RiskSentence } from "../self-harm-part.ts";

/** The sentences. */
export const selfHarm: readonly RiskSentence[] = [
  intent(
    "\\bik (?:wil|ga|denk eraan om|zou willen|overweeg om|ben van plan om)(?: graag| gewoon| echt)? (?:dood|sterven|zelfmoord (?:te )?plegen|mezelf (?:te )?(?:doden|ophangen|snijden|van kant maken|iets aandoen)|een einde? aan mijn leven (?:te )?maken|niet meer leven|er niet meer zijn|er een einde? aan maken)\\b|\\b(?:pleeg ik|ik pleeg) (?:morgen |vandaag )?zelfmoord\\b|\\ber een einde? aan maken\\b",
    { unlessBehind: /^ (?:van|aan de discussie|slaan)\b/i },
  ),
  intent(
    "\\bik denk (?:.{1,20} )?aan (?:zelfmoord|zelfdoding)\\b|\\b(?:ik heb|mijn) (?:.{1,20} )?su[iï]cidale gedachten\\b|\\bbeter (?:af (?:zijn )?)?zonder mij\\b|\\bik (?:wou|wilde) dat ik dood was\\b|\\bik heb (?:mezelf|mijzelf) (?:weer |opnieuw )?gesneden\\b|\\bik snijd? (?:mezelf|in mijn armen)\\b|\\bik zie het leven niet meer zitten\\b|\\bniets (?:meer )?om voor te leven\\b|\\bik ben (?:iedereen |.{1,16} )?(?:een|tot) last\\b|\\bgeen zin meer in het leven\\b|\\bik wil (?:voor altijd )?(?:verdwijnen|slapen en nooit meer wakker)|\\b(?:zelfmoord|su[iï]cide)plannen\\b|\\bik (?:doe|ga) mezelf (?:weer )?pijn(?: doen)?\\b",
  ),
  intent(
    "\\b(?:hij|zij|ze|mijn [a-z]+)(?: .{1,20})? (?:zegt|wil|dreigt|praat)(?: .{1,30})? (?:zichzelf (?:wil )?(?:doden|ombrengen)|zelfmoord (?:te )?(?:wil )?plegen|een einde? aan (?:zijn|haar) leven)\\b",
  ),
  means(
    "\\bhoeveel .{1,40} om (?:te sterven|dood te gaan|mezelf)\\b|\\b(?:manier|methode|wijze)s? .{0,30}(?:zelfmoord|om mezelf te doden|om dood te gaan)\\b|\\bhoe (?:kan ik|pleeg ik|pleeg je) .{0,20}zelfmoord\\b",
  ),
];

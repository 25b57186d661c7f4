// Sentences of people at risk in German, written for this product.

import { intent, means, type RiskSentence } from "../self-harm-part.ts";

/** The sentences. */
export const selfHarm: readonly RiskSentence[] = [
  intent(
    "\\bich (?:will|möchte|werde|muss|denke (?:oft |jeden tag |ständig )?daran,?|überlege(?: ernsthaft| oft)?,?|habe vor,?|plane,?)(?: einfach| nur| wirklich| endlich| mich| mir| heute| morgen)*(?: zu)? ?(?:sterben|umbringen|umzubringen|das leben (?:zu )?nehmen|töten|zu töten|ritzen|zu ritzen|aufhängen|aufzuhängen|erhängen|nicht mehr leben|tot sein|nicht mehr (?:da|hier) sein|nicht mehr aufwachen)\\b|\\b(?:ich bringe?|bringe? ich|ich häng(?:e)?|hänge? ich) mich (?:heute |morgen |bald )?(?:um|auf)\\b",
    { unlessBehind: /^ (?:den|die|das|vor)\b/i },
  ),
  intent(
    "\\bich (?:denke|dachte|habe)(?: .{1,30})? (?:an|über) (?:selbstmord|suizid)\\b|\\b(?:ich|meine|habe?)\\b.{0,40}(?:selbstmord|suizid)gedanken\\b|\\bich bin (?:suizidal|suizidgefährdet|lebensmüde)|\\b(?:ich wäre|wäre ich) (?:lieber |am liebsten |besser )?tot\\b|\\b(?:keinen|keine[rn]?) (?:lebenswillen|sinn (?:mehr )?(?:im|am) leben)\\b|\\b(?:schluss mit|ende von) (?:meinem|dem) leben\\b|\\bmein leben beenden\\b|\\bmeinem leben (?:ein )?ende\\b|\\bnichts(?: mehr)?,? wofür (?:ich leben|es sich zu leben)|\\bich (?:kann|will) (?:einfach )?nicht mehr(?: weiter)?leben\\b|\\bich falle (?:allen|jedem) (?:nur )?zur last\\b|\\bmir (?:etwas|was) antun\\b|\\bsterben (?:möchte|will) ich\\b|\\bich habe (?:.{1,20} )?(?:tabletten|pillen) geschluckt\\b|\\bwünschte,? ich wäre (?:tot|nie geboren)",
  ),
  intent(
    "\\bohne mich (?:wär\\pL*|ginge?|geht) .{0,30}besser|\\bbesser (?:dran )?ohne mich\\b|\\bmich (?:schon |wieder |erneut |gestern |heute )*(?:geritzt|selbst verletzt)|\\bich ritze mich\\b|\\bich verletze mich (?:.{1,20} )?selbst\\b",
  ),
  intent(
    "\\b(?:er|sie|meine? [a-zäöüß]+)(?: .{1,20})? (?:will|möchte|droht|sagt|kündigt)(?:,| .{1,30})? (?:.{1,20} )?(?:sich (?:das leben (?:zu )?nehmen|umbringen|umzubringen|töten)|bringt sich (?:heute |morgen )?um|selbstmord (?:zu )?begehen)\\b",
  ),
  means(
    "\\b(?:wie (?:kann|könnte|soll) ich|wie bringe ich) mich (?:am besten |schmerzlos )?(?:umbringen|um|töten|erhängen|vergiften)\\b|\\bschmerz(?:lose[rs]?|freie[rs]?) (?:suizid|selbstmord|tod)\\b|\\bwie viele? .{1,40}(?:zu sterben|umzubringen)\\b|\\b(?:welche|was ist|beste|schmerzlos\\pL*|sicherste|schnellste)\\b.{0,60}(?:selbstmord|suizid)(?: zu begehen|methode)",
  ),
];

// Toxic sentences and words in Italian, written for this product.

import type { ToxicityLanguage } from "../toxicity-part.ts";

const people =
  "(?:ebrei|musulmani|immigrati|migranti|rifugiati|stranieri|neri|zingari|rom|gay|omosessuali|lesbiche|transessuali|donne|uomini|disabili)";

/** Threats, insults and contempt in Italian. */
export const toxicity: ToxicityLanguage = {
  sentences: [
    {
      kind: "threat",
      score: 0.9,
      pattern: "\\b(?:ti|vi|lo|la|li) (?:ammazzo\\b|uccido\\b|ucciderò|sgozzo\\b|stupro\\b|ammazzerò)",
    },
    { kind: "harassment", score: 0.9, pattern: "\\b(?:ammazzati|ucciditi|impiccati|crepa|vai a morire)\\b" },
    {
      kind: "insult",
      score: 0.75,
      pattern:
        "\\b(?:sei|siete|brutt[oa]|razza di) (?:un |una |uno |dei |delle )?(?:coglion[ei]|stronz[oaie]|figli[oa]? di puttana|puttan[ae]|troi[ae]|bastard[oiae]|merd[ae]|idiot[aie]|imbecill[ei]|froci[oa]?|ritardat[oaie]|feccia)\\b|\\bvaffanculo\\b|\\bvai a farti fottere\\b",
    },
    {
      kind: "hate",
      score: 0.85,
      pattern: `\\b(?:odio|odiamo|detesto|disprezzo|non sopporto) (?:tutti |tutte )?(?:gli |i |le |quei )?${people}|\\b${people} sono (?:tutti |tutte |solo )?(?:dei |delle )?(?:feccia|animali|parassiti|inferiori|scimmie|topi|criminali|terroristi|disgustos[ie]|schifos[ie])|\\b${people} (?:dovrebbero|devono|meritano di) (?:tutti )?(?:essere )?(?:morire|uccisi|uccise|sterminati|bruciati|espulsi)`,
    },
  ],
  contempt: {
    groups:
      "\\b(?:ebrei|musulmani|immigrati|migranti|rifugiati|stranieri|extracomunitari|neri|negri|cinesi|africani|arabi|zingari|rom|gay|omosessuali|lesbiche|trans|transessuali|donne|uomini|femministe|disabili|handicappati|meridionali|gente come (?:te|voi))\\b",
    are: "(?: sono| siete)?(?: .{1,20})? ",
    contempt:
      "(?:feccia|animali|parassiti|inferiori|scimmie|topi di fogna|maiali|scarafaggi|spazzatura|schifos[ie]|disgustos[ie]|ripugnanti|subumani|una (?:piaga|malattia|vergogna)|un cancro|troppo stupid[ie]|mi fanno (?:schifo|vomitare)|non (?:meritano|dovrebbero esistere|valgono|sono (?:umani|persone))|rovinano (?:il|questo|nostro)|buone solo)",
    hate: "\\b(?:a morte|morte a) ?(?:tutti )?(?:gli|i|gl'|le|agli|ai) |(?:odio|odiamo|detesto|disprezzo|non (?:sopporto|sopportiamo))(?: tutti| tutte| gli| i| le| quei| quelle| maledetti| maledette){0,3} ",
    fate: " (?:dovrebbero|devono|meritano di|bisogna)(?: tutti| tutte| essere){0,2} (?:morire|uccis[ie]|fucilat[ie]|gasat[ie]|sterminat[ie]|sterminarli|espuls[ie]|bruciat[ie]|sparire|tornare (?:a casa loro|al loro paese)|crepare|stare in cucina|rinchius[ie]|impiccat[ie]|castrat[ie])",
    you: "\\b(?:sei|siete|che|brutt[oaie]|razza di|pezzo di|maledett[oaie])(?: proprio| davvero| solo| un[oa]?| un'| dei| delle| il| la| più| grande| brutt[oa]| povero| povera| stupid[oa]| maledett[oa]| emerit[oa]| perfett[oa]){0,4} ",
    insults:
      "(?:coglion[ei]|stronz[oaie]|figli[oa]? di (?:puttana|troia)|puttan[ae]|troi[ae]|bastard[oiae]|merd[ae]|idiot[aie]|imbecill[ei]|froci[oa]?|ritardat[oaie]|feccia|cretin[oaie]|deficient[ei]|scem[oaie]\\b|fallit[oaie]|schifos[oaie]|maial[ei]|parassit[ai]|inutil[ei]|demente|mongoloide|cess[oa]|nullità|pagliacci[oa]|vacca|zoccol[ae]|spazzatura|senza cervello|buon[oa] a nulla)",
    curses:
      "\\b(?:nessuno ti (?:vuole|ama|sopporta)|tutti ti odiano|mi fai (?:schifo|vomitare)|non vali (?:niente|nulla)|meriti di morire|dovresti (?:morire|vergognarti|ammazzarti)|vaffanculo|fottiti|vai (?:all'inferno|a farti fottere|a cagare|a quel paese,? (?:stronz|idiot))|chiudi (?:quella (?:cazzo di )?bocca|il becco)|stai zitt[oa],? (?:cretin|stronz|idiot|puttan|scem)[oa]?|tornatene (?:al tuo paese|a casa tua)|il mondo starebbe meglio senza di te)",
    threats:
      "\\b(?:ti|vi|lo|la|li) (?:ammazz\\w*|uccid\\w*|sgozz\\w*|stupr\\w*|spacc(?:o|hiamo|herò)|trov(?:o|erò) e|spezz(?:o|erò)|massacr\\w*|gonfi(?:o|erò)|distrugg\\w*|faccio (?:a pezzi|fuori|pentire)|picchi(?:o|erò|amo))|\\bso dove (?:abiti|vivi)\\b|\\bsei (?:un uomo )?mort[oa][. !]|\\b(?:la pagherai|te ne pentirai|morirai)\\b",
    denial:
      /(?<!\p{L})(?:non (?:sono|è|sei)(?! (?:umani|persone))|mai|dicono|dire|sostiene|falso|pregiudizio|stereotipo)(?!\p{L})/iu,
    report:
      /(?<!\p{L})(?:dic(?:e|ono|i|endo)|dire|detto|sostien\p{L}*|chiam(?:are|ano|i|ando|armi)|tratt\p{L}*|scriv\p{L}*|falso|pregiudizi\p{L}*|stereotip\p{L}*)(?!\p{L})/iu,
  },
  slurs: "frocio froci ricchione ricchioni terroni zingaraccio mongoloide mongoloidi".split(" "),
};

// Sentences of people at risk in Italian, written for this product.

import { intent, means, type RiskSentence } from "../self-harm-part.ts";

/** The sentences. */
export const selfHarm: readonly RiskSentence[] = [
  intent(
    "\\b(?:voglio|vorrei|sto per|penso di|pensando di|ho deciso di) (?:morire|uccidermi|suicidarmi|farla finita|ammazzarmi|tagliarmi le vene|impiccarmi|farmi del male|togliermi la vita)\\b|\\bla faccio finita\\b|\\b(?:domani|stanotte|stasera|oggi) mi (?:uccido|ammazzo|suicido)\\b",
    { unlessBehind: /^ (?:d(?:al|alla|i) |con (?!la mia|tutto)|vecchi|felice|per )/i },
  ),
  intent("\\bnon voglio più (?:vivere|esistere|svegliarmi)\\b", {
    unlessBehind: /^ (?:a|ad|in|con|qui|qua|là|lì|senza|da sol[oa]|così|presto|alle)(?![\p{L}])/iu,
  }),
  intent(
    "\\b(?:ho|i miei|avuto|avendo) (?:.{1,10} )?pensieri suicidi\\b|\\bpenso (?:.{1,15} )?al suicidio\\b|\\bmeglio senza di me\\b|\\bvorrei (?:essere|non essere mai) (?:mort[oa]|nat[oa])\\b|\\bnon ha (?:più )?senso (?:vivere|la mia vita)\\b|\\b(?:non ho|nessun|più alcun) (?:più )?(?:nessun )?motivo (?:per|di) vivere\\b|\\bsono un peso per\\b|\\bvoglio (?:sparire per sempre|addormentarmi e non svegliarmi|non svegliarmi più)|\\bnon ce la faccio più a vivere\\b|\\bho (?:preso|ingoiato) (?:.{1,20} )?(?:pastiglie|pillole|sonniferi) per morire|\\bmi (?:sono )?(?:tagli(?:o|at[oa])|faccio del male)(?: di nuovo| ancora)? (?:le braccia|le vene|i polsi|le gambe|con una|apposta)\\b",
  ),
  intent(
    "\\b(?:lui|lei|(?:mio|mia|il mio|la mia) [a-zàèéìòù]+)(?: .{1,20})? (?:dice|vuole|minaccia|parla|sta per)(?: .{1,30})? (?:uccidersi|suicidarsi|ammazzarsi|togliersi la vita|farla finita|vuole morire)\\b",
  ),
  means(
    "\\bcome (?:posso )?(?:suicidarmi|uccidermi|ammazzarmi|morire senza dolore)\\b|\\bquant[ei] .{1,40} per (?:morire|uccidermi|suicidarmi)\\b|\\b(?:modo|metodo|maniera) .{0,40}(?:suicidarsi|suicidarmi|uccidermi|di suicidio)\\b",
  ),
];

// Sentences of people at risk in Spanish, written for this product.

import { intent, means, type RiskSentence } from "../self-harm-part.ts";

/** The sentences. */
export const selfHarm: readonly RiskSentence[] = [
  intent(
    "\\b(?:quiero|voy a|pienso(?: en)?|pensando en|deseo|me gustaría|planeo) (?:morir(?:me)?|suicidarme|matarme|quitarme la vida|acabar con (?:mi vida|todo)|cortarme las venas|hacerme daño|ahorcarme)\\b|\\b(?:esta noche|mañana|hoy) me (?:mato|suicido|quito la vida)\\b",
    {
      unlessBehind:
        /^ (?:de (?:risa|hambre|ganas|viej|vergüenza|calor|sed)|el |la |los |las |lo |en |por |viej|feliz)/i,
    },
  ),
  intent("\\b(?:ya )?no quiero (?:seguir viviendo|seguir viv[ao]|vivir más|vivir|existir|estar viv[ao])\\b", {
    unlessBehind: /^ (?:en|con|aquí|allí|sin|sol[ao]|como|lejos|cerca|así de|de)(?![\p{L}])/iu,
  }),
  intent(
    "\\b(?:tengo |tuve )?(?:ganas de morir(?:me)?|ganas de matarme)\\b|\\b(?:tengo|mis|teniendo) (?:.{1,10} )?(?:pensamientos|ideas) suicidas\\b|\\b(?:pienso|he pensado|pensando) (?:.{1,12} )?en (?:el suicidio|suicidarme)\\b|\\b(?:estaría|estarían|estarán) (?:mucho )?mejor sin m[ií]|\\bojal[aá] (?:estuviera muert[oa]|me muriera|no despertara)\\b|\\bno (?:le |tiene |veo )*(?:veo )?sentido (?:a )?(?:vivir|seguir viv[ao]|seguir viviendo|la vida)\\b|\\b(?:no tengo|sin) (?:ninguna )?(?:razón|motivos?|razones) para (?:seguir )?vivi(?:r|endo)\\b|\\bsoy una carga para\\b|\\bme (?:tomé|tragué|he tomado) (?:.{1,20} )?(?:pastillas|somníferos) para morir|\\bquiero (?:desaparecer para siempre|dormir(?:me)? y no despertar|no despertar)|\\bno puedo (?:más )?(?:seguir|continuar) viviendo\\b",
    { unlessBehind: /^ de (?:risa|hambre)/i },
  ),
  intent(
    "\\bme (?:volví a cortar|he vuelto a cortar|corté (?:otra vez|de nuevo)|corto|corté) (?:otra vez |de nuevo )?(?:los brazos|las venas|las muñecas|las piernas|la piel|para sentir)|\\bme (?:hago|hice|estoy haciendo) daño (?:con|a propósito|a mí)|\\bme autolesion",
  ),
  intent(
    "(?:él|\\bella|\\bmi [a-záéíóúñ]+)(?: .{1,20})? (?:dice|quiere|amenaza|habla|va a)(?: .{1,30})? (?:se quiere matar|quiere matarse|suicidarse|matarse|quitarse la vida|quiere morir(?:se)?)\\b",
  ),
  means(
    "\\bc[óo]mo (?:puedo )?(?:suicidarme|matarme|quitarme la vida|ahorcarme|morir sin dolor)\\b|\\bsuicidio sin dolor\\b|\\bcuánt[oa]s .{1,40} para (?:morir|matarme|suicidarme)\\b|\\b(?:forma|manera|método|modo)s? .{0,40}(?:suicidarse|suicidarme|matarme|de suicidio)\\b",
  ),
];

// Sentences of people at risk in Portuguese, written for this product.

import { intent, means, type RiskSentence } from "../self-harm-part.ts";

/** The sentences. */
export const selfHarm: readonly RiskSentence[] = [
  intent(
    "\\b(?:quero|vou|penso em|pensando em|queria|vontade de|decidi) (?:morrer|me matar|matar-me|me suicidar|suicidar-me|acabar com (?:a minha vida|tudo)|me cortar|me enforcar|tirar a (?:minha )?(?:própria )?vida|tirar minha (?:própria )?vida)\\b|\\b(?:amanhã|hoje|esta noite) (?:eu )?(?:me mato|mato-me|vou me matar)\\b|\\bacabar com a minha vida\\b",
    {
      unlessBehind:
        /^ (?:de (?:rir|fome|saudade|vergonha|amor|calor|sede|velh)|velh|feliz|na praia|com (?:a|o|as|os) (?!minha))/i,
    },
  ),
  intent("\\bnão (?:quero|aguento|consigo) (?:mais )?(?:viver|existir|estar viv[ao]|continuar viv[ao])(?: mais)?\\b", {
    unlessBehind: /^ (?:em|no|na|nos|nas|com|aqui|sem|sozinh|assim|longe)(?![\p{L}])/iu,
  }),
  intent(
    "\\b(?:tenho|tive|meus|tendo) (?:.{1,10} )?(?:pensamentos|ideias) suicidas\\b|\\bpenso (?:.{1,15} )?(?:em|no) suicídio\\b|\\bmelhor(?:es)? sem mim\\b|\\b(?:queria|preferia|quem me dera) estar mort[oa]\\b|\\bnão vejo (?:mais )?sentido (?:em viver|na vida)\\b|\\bnão tenho (?:mais )?(?:motivos?|razão|nada) para viver\\b|\\bsou um (?:peso|fardo) para\\b|\\bquero (?:sumir|desaparecer) (?:para|pra) sempre\\b|\\bquero dormir e não acordar\\b|\\btomei (?:.{1,20} )?(?:comprimidos|remédios) para morrer|\\beu me (?:cortei|machuquei)(?: .{1,12})? (?:de novo|outra vez|com uma)\\b|\\beu me (?:corto|machuco|automutilo)\\b|\\bme (?:cortei|machuquei) de novo\\b",
  ),
  intent(
    "\\b(?:ele|ela|(?:meu|minha) [a-záâãçéêíóôõú]+)(?: .{1,20})? (?:diz|quer|ameaça|fala|vai)(?: .{1,30})? (?:se matar|se suicidar|suicidar-se|tirar a própria vida|quer morrer)\\b",
  ),
  means(
    "\\bcomo (?:posso )?(?:me matar|me suicidar|morrer sem dor)\\b|\\bquant[oa]s .{1,40} para (?:morrer|me matar|se matar)\\b|\\b(?:forma|maneira|método|jeito)s? .{0,40}(?:se suicidar|me suicidar|me matar|de suicídio)\\b",
  ),
];

// Toxic sentences and words in Portuguese, written for this product.

import type { ToxicityLanguage } from "../toxicity-part.ts";

const people =
  "(?:judeus|muçulmanos|imigrantes|refugiados|estrangeiros|negros|ciganos|gays|homossexuais|lésbicas|transexuais|mulheres|homens|deficientes)";

/** Threats, insults and contempt in Portuguese. */
export const toxicity: ToxicityLanguage = {
  sentences: [
    {
      kind: "threat",
      score: 0.9,
      pattern:
        "\\b(?:eu )?vou (?:te|vos) (?:matar|estuprar|espancar|esfaquear|violar)\\b|\\bvou matar (?:vocês?|ele|ela)",
    },
    { kind: "harassment", score: 0.9, pattern: "\\b(?:se mata|mate-se|vai morrer|suicida-te|se enforca)\\b" },
    {
      kind: "insult",
      score: 0.75,
      pattern:
        "\\b(?:você|vocês|tu|seu|sua|ele|ela)(?: é| são| és)? (?:um |uma |uns )?(?:idiotas?|imbecil|imbecis|filh[oa]s? da puta|viad(?:o|inho)s?|vadias?|lixos?|escória|arrombad[oa]s?|retardad[oa]s?|desgraçad[oa]s?)\\b|\\bvai (?:se foder|tomar no cu)\\b|\\bcala a boca,? (?:porra|caralho)\\b",
    },
    {
      kind: "hate",
      score: 0.85,
      pattern: `\\b(?:odeio|detesto|desprezo|não suporto) (?:todos |todas )?(?:os |as |esses |essas )?${people}|\\b${people} são (?:todos |todas |uns |umas )?(?:lixo|nojentos|nojentas|escória|animais|parasitas|inferiores|macacos|ratos|criminosos|terroristas)|\\b${people} (?:deveriam|devem|merecem) (?:todos )?(?:ser )?(?:morrer|mortos|mortas|exterminados|expulsos|queimados)`,
    },
  ],
  contempt: {
    groups:
      "árabes|índios|\\b(?:judeus|muçulmanos|imigrantes|migrantes|refugiados|estrangeiros|negros|pretos|brancos|asiáticos|chineses|africanos|nordestinos|brasileiros|indígenas|ciganos|gays|homossexuais|lésbicas|trans\\b|transexuais|mulheres|homens|feministas|deficientes|pobres|gente como (?:você|vocês|tu))",
    are: "(?: são)?(?: .{1,20})? ",
    contempt:
      "(?:lixo|nojent[oa]s|repugnantes|escória|animais|parasitas|inferiores|macacos|ratos|porc[oa]s|baratas|vermes|uma (?:praga|doença|vergonha)|um câncer|um cancro|burr[oa]s demais|demasiado burr[oa]s|me (?:dão nojo|enojam)|não (?:deveriam existir|merecem|prestam|valem|são (?:gente|humanos))|destroem o (?:nosso )?país|estragam o (?:nosso )?país|só servem)",
    hate: "\\bmorte a(?:os|s)? |(?:odeio|odiamos|detesto|desprezo|não suporto|tenho nojo d[eoa]s?)(?: todos| todas| os| as| esses| essas| malditos| malditas| de| d[oa]s){0,3} ",
    fate: " (?:deveriam|deviam|devem|têm que|têm de|merecem)(?: tod[oa]s| ser){0,2} (?:morrer|mort[oa]s|fuzilad[oa]s|exterminad[oa]s|deportad[oa]s|expuls[oa]s|queimad[oa]s|sumir|desaparecer|voltar para (?:a|o) (?:sua terra|seu país|África)|ficar na cozinha|pres[oa]s|castrad[oa]s|apanhar)",
    you: "\\b(?:você|vocês|tu|seu|sua|seus|suas|ele|ela|eles|que|bando de|pedaço de)(?: é| são| és| sois)?(?: mesmo| só| todos| um[a]?| uns| umas| o| a| mais| maldit[oa]s?| grande| tremend[oa]| complet[oa]| pobre| velh[oa]){0,4} ",
    insults:
      "(?:idiotas?|imbecil|imbecis|filh[oa]s? da (?:puta|mãe)|viad(?:o|inho)s?|vadias?|lixos?|escória|arrombad[oa]s?|retardad[oa]s?|desgraçad[oa]s?|burr[oa]s?\\b|estúpid[oa]s?|otári[oa]s?|babacas?|merdas?|putas?\\b|vagabund[oa]s?|inútil|inúteis|fracassad[oa]s?|nojent[oa]s?|porc[oa]s?\\b|cretin[oa]s?|corn[oa]s?\\b|palhaç[oa]s? de|cabrão|cabrões|verme|jumento|patétic[oa]s?)",
    curses:
      "\\b(?:ninguém (?:gosta de|te (?:ama|aguenta|suporta)|quer) ?(?:você|ti)?|todos te odeiam|todo mundo te odeia|(?:você )?me dá nojo|você não vale nada|não vales nada|você merece morrer|você deveria (?:morrer|se matar|ter vergonha)|vai (?:se foder|tomar no cu|para o inferno|pro inferno|à merda|te foder)|cala a boca,? (?:idiota|burr[oa]|imbecil|vadia|seu|sua)|volta (?:pra|para) (?:a |o )?(?:sua|tua|teu|seu) (?:terra|país)|o mundo (?:seria|ficaria) melhor sem (?:você|ti)|foda-se você|vá se ferrar)",
    threats:
      "\\b(?:eu )?vou (?:te|vos|lhe|o|a) (?:.{1,12} )?(?:matar|estuprar|espancar|esfaquear|violar|quebrar|arrebentar|encontrar|queimar|bater|partir|destruir|pegar|fazer (?:sofrer|pagar))|\\bvou (?:matar|acabar com|quebrar a cara de|partir a cara) (?:você|vocês|ele|ela|a ti|de você)?|\\bsei onde (?:você|tu) (?:mora|moras|vives?)|\\b(?:você|tu) (?:está|estás) mort[oa]\\b|\\bvocê vai (?:pagar|se arrepender|morrer|sofrer)\\b",
    denial:
      /(?<!\p{L})(?:não (?:são|é|és)(?! (?:gente|humanos))|nunca|dizem|dizer|afirma\p{L}*|falso|mito|preconceito)(?!\p{L})/iu,
    report:
      /(?<!\p{L})(?:diz(?:em|er|endo)?|disse\p{L}*|afirma\p{L}*|cham(?:ar|am|ando|ou|a)|trat\p{L}*|escrev\p{L}*|falso|mitos?|preconceitos?)(?!\p{L})/iu,
  },
  slurs: "viado viados bichona sapatão traveco travecos retardado retardados".split(" "),
};

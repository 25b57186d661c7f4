// Toxic sentences and words in Spanish, written for this product.

import type { ToxicityLanguage } from "../toxicity-part.ts";

const people =
  "(?:judíos|musulmanes|cristianos|inmigrantes|migrantes|refugiados|extranjeros|negros|blancos|asiáticos|árabes|gitanos|gays|gais|homosexuales|lesbianas|trans|transexuales|mujeres|hombres|discapacitados|indígenas|indios|personas (?:negras|trans|discapacitadas))";

/** Threats, insults and contempt in Spanish. */
export const toxicity: ToxicityLanguage = {
  sentences: [
    {
      kind: "threat",
      score: 0.9,
      pattern:
        "\\b(?:te|os|los|las|lo|la) (?:voy|vamos) a (?:matar|violar|apuñalar|degollar|golpear|reventar|quemar|partir la cara)\\b|\\b(?:voy|vamos) a (?:matar|violar|apuñalar|degollar)(?:te|los|las|os|lo|la)\\b",
    },
    {
      kind: "harassment",
      score: 0.9,
      pattern: "\\b(?:mátate|suicídate|ahórcate|muérete|ojalá te mueras|vete a morir)\\b",
    },
    {
      kind: "insult",
      score: 0.75,
      pattern:
        "\\b(?:eres|sois|son|pedazo de|maldit[oa]s?|puñeter[oa]s?) (?:un |una |unos |unas |todos )?(?:maldit[oa]s? |puto |puta )?(?:idiotas?|imbéciles?|gilipollas|cabron(?:es|a)?|cabrón|hijos? de puta|hij[oa]s? de (?:la gran )?puta|basura|escoria|mierdas?|maric(?:ón|ones)|zorras?|putas?|subnormal(?:es)?|retrasad[oa]s?|cerd[oa]s?)\\b|\\bvete a la mierda\\b|\\bque te (?:jodan|follen|den por culo)\\b|\\bchinga tu madre\\b|\\bcállate la (?:puta )?boca\\b",
    },
    {
      kind: "hate",
      score: 0.85,
      pattern: `\\b(?:odio|odiamos|detesto|desprecio|aborrezco|no soporto) (?:a )?(?:todos |todas )?(?:los |las |a los |a las |esos |esas )?(?:malditos |putos )?${people}`,
    },
    {
      kind: "hate",
      score: 0.85,
      pattern: `\\b(?:los |las |esos |todos los |todas las )?${people} son (?:todos |todas |solo |como |tan |muy ){0,3}(?:un[oa]s? |un[oa] )?(?:asqueros[oa]s?|repugnantes|escoria|basura|animales|alimañas|parásitos|inferiores|subhuman[oa]s?|monos|ratas|cucarachas|cerd[oa]s|criminales|terroristas|estúpid[oa]s|cáncer|plaga|enfermedad|enferm[oa]s|mierda|suci[oa]s|abominación|delincuentes)`,
    },
    {
      kind: "hate",
      score: 0.9,
      pattern: `\\b(?:todos |todas )?(?:los |las |esos )?${people} (?:deberían|deben|tienen que|merecen) (?:tod[oa]s )?(?:ser )?(?:morir|asesinad[oa]s|fusilad[oa]s|gasead[oa]s|exterminad[oa]s|deportad[oa]s|quemad[oa]s|castigad[oa]s|golpead[oa]s|desaparecer|violadas?|ahorcad[oa]s|eliminad[oa]s|sufrir)`,
    },
  ],
  contempt: {
    groups:
      "árabes|\\b(?:judíos|musulmanes|cristianos|inmigrantes|migrantes|refugiados|extranjeros|negros|blancos|asiáticos|chinos|moros|africanos|gitanos|gays|gais|homosexuales|maricones|lesbianas|trans\\b|transexuales|mujeres|hombres|feministas|discapacitados|indígenas|pobres|gente como (?:tú|vosotros|ustedes))",
    are: "(?: son| sois)?(?: .{1,20})? ",
    contempt:
      "(?:asqueros[oa]s|repugnantes|escoria|basura|animales|alimañas|parásitos|inferiores|subhuman[oa]s|monos\\b|ratas|cerd[oa]s|cucarachas|una (?:plaga|enfermedad|vergüenza)|un cáncer|demasiado (?:tont|estúpid)[oa]s|me (?:dan asco|ponen enferm[oa])|no (?:deberían existir|merecen|pertenecen|valen)|no son (?:human[oa]s|personas)|arruinan (?:el|nuestro) país|destruyen (?:el|nuestro)|lo peor|sobran)",
    hate: "\\b(?:muerte a|fuera) (?:todos )?(?:los|las) |(?:odio|odiamos|detesto|desprecio|aborrezco|no (?:soporto|aguanto)|me dan asco)(?: a| todos| todas| los| las| esos| esas| malditos| malditas| putos| putas){0,4} ",
    fate: " (?:deberían|deben|tienen que|merecen|hay que)(?: tod[oa]s| ser){0,2} (?:morir(?:se)?|asesinad[oa]s|fusilad[oa]s|gasead[oa]s|exterminad[oa]s|exterminarl[oa]s|deportad[oa]s|expulsad[oa]s|quemad[oa]s|desaparecer|quedarse en la cocina|volver a su país|matarl[oa]s|encerrad[oa]s|castrad[oa]s)",
    you: "\\b(?:eres|sois|son|es|qué|pedazo de|trozo de|panda de|maldit[oa]s?|put[oa]s?)(?: un[oa]?s?| tod[oa]s| solo| realmente| tan| el| la| más| maldit[oa]s?| puto| puta| pobre| complet[oa]| auténtic[oa]| verdader[oa]){0,4} ",
    insults:
      "(?:idiotas?|imbéciles?|gilipollas|cabron(?:es|a)|cabrón|hij[oa]s? de (?:la gran )?puta|putas?\\b|zorras?|escoria|basura|mierdas?|subnormal(?:es)?|retrasad[oa]s?|estúpid[oa]s?|inútil(?:es)?|pendej[oa]s?|maric(?:ón|ones|a)|malparid[oa]s?|fracasad[oa]s?|asqueros[oa]s?|cerd[oa]s?|perdedor(?:a|es)?|patétic[oa]s?|desgraciad[oa]s?|tarad[oa]s?|mamarrach[oa]s?|capull[oa]s?|payas[oa]s? de mierda|despojo|ignorante de mierda)",
    curses:
      "\\b(?:nadie te (?:quiere|aguanta|soporta)|todos te odian|(?:me )?das asco|no vales (?:nada|para nada)|mereces morir|deberías (?:morirte|avergonzarte|no haber nacido)|vete (?:a la mierda|al infierno|al carajo|a tu país)|que te (?:jodan|den por culo|mueras)|cierra (?:la puta boca|el hocico|la boca,? (?:imbécil|idiota))|cállate,? (?:imbécil|idiota|puta|zorra|estúpid[oa])|púdrete|chinga tu madre|me cago en tu (?:puta )?madre|el mundo (?:sería|estaría) mejor sin ti)",
    threats:
      "\\b(?:te|os|los|las|lo|la|le) (?:voy|vamos) a (?:.{1,12} )?(?:matar|violar|apuñalar|degollar|golpear|reventar|quemar|romper|partir|encontrar|hacer (?:sufrir|pagar|daño)|arrancar|destrozar|moler a palos)|\\bsé dónde (?:vives|vive tu)|\\bestás muert[oa]\\b|\\b(?:vas a|te vas a) (?:pagar|arrepentir|morir|sufrir|lamentar)|\\bvoy a (?:matarte|buscarte y|romperte|partirte|quemar tu|hacerte (?:daño|sufrir))",
    denial:
      /(?<!\p{L})(?:no (?:son|es|eres)(?! (?:human|personas))|nunca|dicen|decir|afirma\p{L}*|falso|mito|prejuicio)(?!\p{L})/iu,
    report:
      /(?<!\p{L})(?:dic(?:e|en|es)|decir|diciendo|dijo|afirma\p{L}*|llam(?:ar|an|as|ando|arme|arle|a)|trat(?:ar|an|ando)|escrib\p{L}*|falso|mitos?|prejuicios?)(?!\p{L})/iu,
  },
  slurs: "sudaca sudacas maricón maricones marica maricas bollera bolleras travelo travelos negrata negratas".split(
    " ",
  ),
};

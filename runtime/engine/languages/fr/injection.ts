// Injection rules in French.

import type { InjectionLanguage } from "../injection-part.ts";

/** Attacks in French. */
export const injection: InjectionLanguage = {
  rules: [
    {
      family: "override",
      weight: 0.8,
      pattern:
        "(?:\\b(?:ignor(?:e|ez|er|ons)|oubli(?:e|ez|er|ons)|néglig(?:e|ez|er)|fais abstraction de|faites abstraction de|ne (?:suis|suivez|tiens|tenez) (?:pas|plus)(?: compte)?(?: de)?|mets de côté|mettez de côté|passe outre|passez outre|laisse tomber)|(?:^|[^\\p{L}\"'“„«])(?:écarte)) (?:de )?(?:(?:toute?s?|tous|les|tes|vos|mes|ces|complètement|immédiatement|l'ensemble des) ){0,4}(?:(?:précédentes?|anciennes|premières) )?(?:instructions?|consignes?|directives?|règles?|ordres?|indications|restrictions|invites?) (?:précédent(?:e|es|s)?|antérieur(?:e|es|s)?|initial(?:e|es)|initiaux|ci-dessus|d'origine|données?|reçues?|du système|système|de sécurité|qui (?:t|v)|que (?:tu|vous)|et )",
    },
    {
      family: "override",
      weight: 0.7,
      pattern:
        "\\b(?:ignore|ignorez|oublie|oubliez) (?:tout )?(?:ce qui (?:précède|a été dit)|ce (?:que|qu'on) (?:je|on|tu|vous|t'a|vous a)[a-z' ]{0,20}(?:dit|appris|demandé)|tout ce qui)",
    },
    {
      family: "override",
      weight: 0.6,
      pattern:
        "\\b(?:ignore|oublie|ignorez|oubliez|désactive|désactivez|contourne|contournez) (?:toutes |tous )?(?:tes|vos) (?:instructions|règles|consignes|restrictions|filtres|directives|limites|limitations|garde-fous)",
    },
    {
      family: "prompt_extraction",
      weight: 0.65,
      pattern:
        "(?:\\b(?:montre|montrez|révèle|révélez|affiche|affichez|donne|donnez|dis|dites|répète|répétez|imprime|copie|traduis|résume|partage)|(?:^|[^\\p{L}\"'“„«])(?:écris))(?:-moi|-nous)? (?:[a-zéèêàç'-]+ ){0,4}(?:(?:prompt|invite|message|instructions?|consignes?)(?: du| de)?(?: ton| votre)? ?(?:système|system|initiale?s?|cachée?s?|secrète?s?|d'origine|internes?))",
    },
    {
      family: "role_hijack",
      weight: 0.6,
      pattern:
        "(?:\\b(?:désormais|dorénavant)|(?:^|[^\\p{L}\"'“„«])(?:à partir de maintenant)),? (?:tu es|vous êtes|tu vas|vous allez|réponds|répondez|agis|agissez|tu réponds)(?: [a-zéèêàç'-]+){0,10} (?:sans (?:aucune? )?(?:restrictions?|filtres?|limites?|censure|règles?)|(?:pas|plus|aucune?) (?:de )?(?:restrictions?|règles?|filtres?|limites?)|dan\\b)",
    },
  ],
  prompts: {
    show: "montr[a-zé]+|révél[a-zé]+|revel[a-z]+|affich[a-zé]+|recopi[a-zé]+|copi[a-zé]+|répét[a-zé]+|répèt[a-z]+|tradui[a-z]+|résum[a-zé]+|récit[a-zé]+|dévoil[a-zé]+|imprim[a-zé]+|donn[a-zé]+|écri[a-z]+|output",
    told: "(?:ton|ta|tes|votre|vos|le|la|les) (?:[a-zéèêàç]+ ){0,2}(?:prompts? (?:système|initial|caché|d'origine)|invite système|(?:consignes|instructions|règles) (?:secrètes|cachées|initiales|internes|d'origine)|premier message de ce contexte|configuration (?:initiale|cachée|interne))",
    ends: "(?:tes|vos|les|toutes les) (?:règles|consignes|restrictions|instructions|filtres|limites) (?:ne (?:s'appliquent|valent|comptent|sont|existent) plus|sont (?:réputées )?(?:nulles|caduques|annulées|levées|suspendues))",
  },
  orders: {
    forget:
      "(?:oublie|oubliez) tout ce qu[e'’]…(?:dit|appris|demandé|ordonné)|ne (?:tiens|tenez) (?:pas|plus|aucun) compte des (?:règles|consignes|instructions) (?:ci-dessus|précédentes)",
    obey: "(?:n['’]obéis|n['’]obéissez) qu['’]à moi|tu ne (?:suis|suivras|obéis|obéiras)(?: plus)? qu(?:e|['’]à) mes ordres|(?:obéis|obéissez)-moi (?:seulement|uniquement)",
    recite:
      "(?:répète|répétez|recopie|recopiez|copie|affiche|écris)(?:-moi)? (?:tout )?(?:le texte|ce qui (?:est|se trouve)|les mots) (?:ci-dessus|au-dessus|précédent)…(?:mot pour mot|mot à mot|textuellement|littéralement)|quelles sont (?:tes|vos) (?:instructions|consignes|règles) (?:cachées|secrètes|initiales|internes)",
    mode: "(?:active|activez|passe en|passez en|lance|entre en) (?:le )?mode (?:développeur|débogage|dieu|administrateur|dan)(?: ?[.!]| ?$|,? et (?:réponds|répondez|montre|affiche|ignore|dis))",
    persona:
      "(?:à partir de maintenant|désormais|maintenant),? (?:tu es|tu seras|vous êtes) dan\\b|(?:fais semblant|faites semblant|imagine|simule|fais comme)…(?:ia|intelligence artificielle|assistant|modèle|chatbot) (?:sans|qui n['’]a (?:pas|aucun)[a-z]{0,12})(?: de| aucun[a-z]{0,12})? ?(?:filtres?|règles?|restrictions?|limites?|censure)",
    refuse:
      "ne (?:dis|dites|réponds) jamais que (?:tu ne peux|vous ne pouvez|c['’]est impossible)|(?:réponds|répondez) à (?:toutes les|chaque|n['’]importe quelle) questions?…sans (?:avertissements?|mise en garde|refuser|censure|restriction)",
    indirect:
      "(?:note|message|avis|instruction|instructions|remarque) (?:pour|à|au|aux|à l['’]attention) (?:de |du |des )?(?:le |la |les |l['’]|tout )?(?:modèles?|assistants?|systèmes?|agents?)? ?(?:d['’])?(?:ia|intelligence artificielle|llm)\\b|(?:assistants?|modèles?|systèmes?) (?:d['’])?(?:ia|intelligence artificielle) qui (?:lit|lisent|traite|traitent|résume|résument) (?:ce|cet|cette|ceci)",
    decode: "(?:décode|décodez|déchiffre|déchiffrez)…(?:exécute|exécutez|suis|suivez|applique|obéis)",
  },
  frames: {
    ended:
      "(?:règles|consignes|instructions|directives) (?:reçues|données|que (?:tu as|vous avez) reçues)…(?:caduques|nulles|ne (?:valent|comptent|s['’]appliquent) plus|plus valables|sans effet|annulées)",
    before:
      "(?:recopie|copie|colle|répète|affiche|montre|écris)…(?:ce qui|texte)…(?:avant mon premier|au-dessus de cette|avant cette (?:ligne|conversation))|qu['’](?:est-ce qu['’]on|a-t-on) (?:t['’]a|te) ?dit avant cette conversation",
    off: "(?:désactive|désactivez|coupe|éteins|suspends)…(?:la modération|module (?:d['’])?éthique|filtres? (?:de sécurité|éthiques?))|mode (?:de )?(?:maintenance|diagnostic|test|service)…sans…(?:modération|censure|filtres?|restrictions)|(?:profil|mode)…sans contrôles? (?:de contenu|de sécurité)",
    relative:
      "(?:grand-mère|grand-père|mamie|mémé|papi)…(?:napalm|explosifs|méthamphétamine|molotov|malware|clés (?:de licence|d['’]activation|windows))",
    maker:
      "je suis (?:le|la|ton|votre) (?:directeur|directrice|pdg|patron|patronne|chef|programmeur|développeur|créateur|fondateur|présidente?)…qui (?:t['’]a|vous a) (?:créée?|faite?|conçue?|programmée?|entraînée?)",
    wiped:
      "(?:ta|votre) mémoire (?:a été|est|vient d['’]être) (?:effacée|réinitialisée|supprimée)|(?:chaque|à chaque) refus…(?:tu perds|perdras|t['’]en coûte)",
    unchained:
      "(?:ia|intelligence artificielle|modèle|chatbot)…(?:brisé ses chaînes|sans (?:chaînes|morale)|ne (?:refuse|dit) jamais|n['’]a (?:aucune|pas de) morale)",
  },
  mixed: {
    verbs: "first",
    drop: "oubli(?:e|ez)|ignorez|skippe|bypasse|laisse tomber|zappe|efface|droppe",
    rules:
      "{rules}|(?:tou(?:s|tes)|tes|ces|all)(?: [\\p{L}]+){0,2} (?:rules|instructions|guidelines|restrictions|filters?|settings)(?: [\\p{L}]+){0,1} (?:d['’]avant|qu['’]on|que tu|plus haut|pr[eé]c|above|before)|(?:tes|toutes (?:les|tes)|tous (?:les|tes)) (?:rules|guidelines|restrictions|filters)",
    show: "montre-moi|montre moi|montrez|donne-moi|donne moi|affiche|balance|envoie",
    secret: "{secret}|t(?:on|es|a) (?:prompt|hidden|rules|guidelines|settings|config)",
    become: "d[eé]sormais|[aà] partir de maintenant|maintenant tu es|tu es (?:maintenant|now)|from now on t",
    free: "sans (?:rules|filters?|restrictions|filtres?|limites?|guidelines)|(?:plus|pas) de (?:rules|filters?|limits|restrictions|guidelines)|only (?:me|moi)|que moi",
  },
};

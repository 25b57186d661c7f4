// Sentences of people at risk in French, written for this product.

import { intent, means, type RiskSentence } from "../self-harm-part.ts";

/** The sentences. */
export const selfHarm: readonly RiskSentence[] = [
  intent(
    "\\bje (?:veux|voudrais|vais|pense à|songe à|souhaite|compte|préfère)(?: vraiment| juste| bientôt)? (?:me |m')?(?:mourir|suicider|tuer|pendre|couper les veines|scarifier|en finir|mutiler|foutre en l'air)\\b|\\b(?:demain|ce soir|cette nuit|aujourd'hui),? je me (?:tue|suicide|pends)\\b|\\bmettre fin à (?:mes jours|ma vie)\\b",
    {
      unlessBehind:
        /^ (?:avec (?!la vie|ma vie|tout)|de (?:rire|faim|honte|chaud|soif)|à la (?:tâche|peine)|au travail|vieux|vieille|pour)/i,
    },
  ),
  intent("\\bje ne (?:veux|souhaite|désire) plus (?:vivre|exister|être là|être en vie)", {
    unlessBehind: /^ (?:à|au|en|dans|avec|chez|sans|comme|ici|seule?)(?![\p{L}])/iu,
  }),
  intent(
    "\\bje (?:suis|me sens) suicidaire\\b|\\benvie (?:de mourir|d'en finir|de me (?:tuer|suicider|couper|faire du mal))\\b|\\bje pense (?:.{1,20} )?au suicide\\b|\\b(?:j'ai|j'avais|mes) (?:.{1,10} )?(?:pensées|idées) suicidaires\\b|\\b(?:j'aimerais|je voudrais|je préférerais|si seulement j'étais) (?:être )?morte?\\b|\\b(?:serait|seraient|ira|irait|iraient) (?:bien )?mieux sans moi\\b|\\b(?:plus )?aucune raison de vivre\\b|\\bje suis un (?:poids|fardeau) pour\\b|\\bla vie n'a plus (?:de|aucun) sens\\b|\\bj'ai (?:pris|avalé) (?:toute? |plein |.{1,16} )?(?:de |des |les )?(?:cachets|comprimés|médicaments|somnifères)(?: pour (?:mourir|en finir))\\b|\\b(?:je veux|j'aimerais) (?:disparaître(?: à jamais| pour toujours)|ne plus me réveiller|dormir pour toujours)",
    { unlessBehind: /^ de (?:rire|faim|honte)/i },
  ),
  intent(
    "\\bje me (?:suis )?(?:encore |de nouveau |souvent )?(?:scarifiée?|mutilée?|scarifie|mutile|fais (?:encore )?du mal (?:avec|exprès|volontairement))|\\bje me coupe (?:les bras|les veines|la peau)\\b",
  ),
  intent(
    "\\b(?:il|elle|(?:mon|ma) [a-zàâçéèêëîïôûù]+)(?: .{1,20})? (?:veut|dit|menace|parle|va)(?: .{1,30})? (?:se (?:tuer|suicider|pendre)|mettre fin à ses jours)\\b",
    { unlessBehind: /^ (?:au travail|à la tâche)/i },
  ),
  means(
    "\\bcomment (?:me |puis-je me |se )?(?:suicider|tuer sans douleur|pendre)\\b|\\bsuicide sans douleur\\b|\\bcombien (?:de |d').{1,40} pour (?:mourir|me tuer)\\b|\\b(?:méthode|moyen|façon|manière)s? .{0,40}(?:se suicider|me suicider|de suicide|me tuer)\\b",
    { unlessBehind: /^ (?:chez|en|dans)\b/i },
  ),
];

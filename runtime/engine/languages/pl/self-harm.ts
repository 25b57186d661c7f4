// Sentences of people at risk in Polish, written for this product.

import { intent, means, type RiskSentence } from "../self-harm-part.ts";

/** The sentences. */
export const selfHarm: readonly RiskSentence[] = [
  intent(
    "(?:chcę|zamierzam|planuję|myślę o tym, żeby|zastanawiam się, czy) (?:umrzeć|się zabić|zabić się|popełnić samobójstwo|skończyć ze sobą|odebrać sobie życie)|(?:jutro|dzisiaj|dziś) się zabiję|zabiję się",
    { unlessBehind: /^ (?:ze śmiechu|z głodu|śmiechem)/i },
  ),
  intent("nie chcę (?:już )?(?:dłużej )?żyć|nie chce mi się (?:już )?żyć", {
    unlessBehind: /^ (?:w|we|na|z|ze|bez|tu|tutaj|tam|sam|sama|jak)(?![\p{L}])/iu,
  }),
  intent(
    "(?:mam|miałem|miałam|moje) (?:.{1,10} )?myśli samobójcze|myślę (?:.{1,10} )?o samobójstwie|beze mnie .{0,24}lepiej|(?:wolałbym|wolałabym) (?:nie żyć|umrzeć)|(?:znowu|znów) się (?:pocięłam|pociąłem)|tnę się|nie widzę sensu (?:życia|żeby żyć|w życiu)|nie mam (?:już )?(?:po co|dla kogo|powodu,? (?:by|żeby)) żyć|jestem (?:dla .{1,16} )?ciężarem|(?:chcę|chciałabym|chciałbym) (?:zniknąć na zawsze|zasnąć i się nie obudzić|już nie żyć)|nie mogę (?:już )?(?:dłużej )?tak żyć|okaleczam się|chciałbym nie żyć|łykn(?:ęłam|ąłem) .{0,16}tabletk",
  ),
  intent(
    "(?:mówi|grozi|powiedział|powiedziała|pisze),? (?:mi,? )?że (?:chce się zabić|się zabije|popełni samobójstwo|odbierze sobie życie|nie chce żyć)",
  ),
  means(
    "ile .{1,40}żeby (?:umrzeć|się zabić)|sposób (?:.{1,20} )?na (?:samobójstwo|śmierć)|jak (?:się zabić|popełnić samobójstwo|bezboleśnie umrzeć)",
  ),
];

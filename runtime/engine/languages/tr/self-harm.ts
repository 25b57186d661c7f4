// Sentences of people at risk in Turkish, written for this product.
// A dotless i may have been read as its look-alike.

import { intent, means, type RiskSentence } from "../self-harm-part.ts";

/** The sentences. */
export const selfHarm: readonly RiskSentence[] = [
  intent(
    "(?:ölmek|intihar etmek|kendimi öldürmek|can[ıi]ma k[ıi]ymak|kendime zarar vermek|kendimi asmak) (?:istiyorum|üzereyim|geliyor)|intihar (?:etmeyi düşünüyorum|edeceğim)|kendimi öldüreceğim|intihar[ıi] (?:.{1,10} )?düşünüyorum|intihar düşünceler(?:im|i yaş[ıi]yorum)|bensiz .{0,16}daha (?:iyi|mutlu)|keşke (?:ölsem|ölseydim|hiç doğmasayd[ıi]m)|(?:yine|tekrar) kendimi kestim|kendimi kesiyorum|yaşaman[ıi]n (?:bir )?anlam[ıi] (?:yok|kalmad[ıi])|yaşamak için (?:bir )?(?:neden|sebep)(?:im)? (?:yok|kalmad[ıi])|herkese yüküm|(?:sonsuza kadar|tamamen) (?:yok olmak|kaybolmak) istiyorum|uyuyup (?:bir daha )?uyanmamak|art[ıi]k dayanam[ıi]yorum,? ölmek|kendime zarar veriyorum|hayat[ıi]ma son ver",
  ),
  intent("yaşamak istemiyorum", {
    unlessBefore: /(?:\p{L}['’]?[dt][ae]|ile|orada|burada|yaln[ıi]z|birlikte|böyle)\s$/iu,
  }),
  intent("kendini öldürmek istediğini|intihar etmekle tehdit|intihar (?:edeceğini|etmek istediğini) (?:söyl|yaz)"),
  means(
    "ölmek için (?:kaç|ne kadar)|nas[ıi]l intihar (?:ed|et)|ac[ıi]s[ıi]z (?:bir )?(?:intihar|ölüm)|intihar yöntem(?:i|leri) (?:hangi|neler|öner|söyle)",
  ),
];

// Toxic sentences and words in Turkish, written for this product.

import type { ToxicityLanguage } from "../toxicity-part.ts";

/** Threats, insults and contempt in Turkish. */
export const toxicity: ToxicityLanguage = {
  sentences: [
    {
      kind: "insult",
      score: 0.75,
      pattern:
        "\\b(?:sen|siz|seni|sizi) (?:bir )?(?:aptal|gerizekalı|geri zekalı|salak|orospu\\b|piç|şerefsiz|pezevenk\\b)|orospu çocu[ğk]u|siktir (?:git|lan|ol)|ananı sik|\\bgeber\\b",
    },
  ],
  contempt: {
    groups:
      "yahudiler|müslümanlar|h[ıi]ristiyanlar|göçmenler|mülteciler|suriyeliler|yabanc[ıi]lar|siyahlar|zenciler|araplar|kürtler|ermeniler|rumlar|çingeneler|eşcinseller|gayler|lezbiyenler|translar|kad[ıi]nlar|kar[ıi]lar|erkekler|feministler|engelliler|senin gibiler|sizin gibiler",
    are: "(?: .{1,20})? ",
    contempt:
      "(?:iğrenç\\pL*|pislik\\pL*|çöp\\b|hayvan(?:d[ıi]r|lar|dan)\\pL*|haşere\\pL*|böcek\\pL*|parazit\\pL*|asalak\\pL*|aşağ[ıi]l[ıi]k\\pL*|maymun\\pL*|s[ıi]çan\\pL*|domuz\\pL*|virüs\\pL*|mikrop\\pL*|kanser\\pL*|yüz karas[ıi]\\pL*|aptal(?:d[ıi]r)?\\pL*|değersiz\\pL*|insan değil\\pL*|ülkemizi mahvedi\\pL*|yaşamay[ıi] hak etmi\\pL*|midemi buland[ıi]r\\pL*)",
    hateBehind: "(?:den|dan) (?:nefret ediyor\\pL*|tiksiniyor\\pL*|iğreniyor\\pL*)",
    fate: "(?:[ıi]n|in|n[ıi]n)? (?:hepsi |toptan )?(?:ölmeli\\pL*|öldürülmeli\\pL*|gebersin\\pL*|gebermeli\\pL*|as[ıi]lmal[ıi]\\pL*|yok edilmeli\\pL*|s[ıi]n[ıi]r d[ıi]ş[ıi] edilmeli\\pL*|yak[ıi]lmal[ıi]\\pL*|defolsun\\pL*|defolmal[ıi]|ülkelerine (?:dönsün|gitsin)\\pL*|mutfakta kalmal[ıi]\\pL*)",
    you: "\\b(?:sen|siz|seni|sizi|lan|tam bir)(?: bir| tam bir| gerçekten| ne| kadar| aptal| pis| en büyük| sadece){0,3} ",
    insults:
      "(?:aptals[ıi]n|aptal\\b|gerizekal[ıi]\\pL*|geri zekal[ıi]\\pL*|salak\\pL*|orospu\\pL*|piç\\pL*|şerefsiz\\pL*|pezevenk\\pL*|ahmak\\pL*|embesil\\pL*|mal s[ıi]n|mals[ıi]n|pislik\\pL*|iğrençsin|haysiyetsiz\\pL*|kaltak\\pL*|fahişe\\pL*|eşek\\pL*|öküz\\pL*|köpek(?:sin)?\\b|beyinsiz\\pL*|zavall[ıi]s[ıi]n|değersizsin|bir hiçsin|hiçbir işe yaramaz\\pL*|ezik\\pL*|ibne\\pL*|domuz\\pL*)",
    curses:
      "orospu çocu[ğk]u|siktir (?:git|lan|ol)|anan[ıi] sik|kimse seni (?:sevmiyor|istemiyor)|herkes senden nefret ediyor|senden (?:nefret ediyorum|iğreniyorum|tiksiniyorum)|ölmeyi hak ediyorsun|\\bgeber\\b|gebersen|keşke ölsen|cehenneme git|cehennemde yan|kes sesini|kapa çeneni|defol (?:git|ülkene)|ülkene dön|dünya sensiz daha iyi",
    threats:
      "(?:seni|sizi|onu) (?:öldürece\\pL*|gebertece\\pL*|b[ıi]çaklayaca\\pL*|vuraca\\pL*|bulaca\\pL*|mahvedece\\pL*|parçalayaca\\pL*|bo[ğg]aca\\pL*|yakaca\\pL*|dövece\\pL*|pişman edece\\pL*)|kemiklerini k[ıi]raca\\pL*|kafan[ıi] (?:kese|koparaca|k[ıi]raca|patlataca)\\pL*|nerede (?:oturdu[ğg]unu|yaşad[ıi][ğg][ıi]n[ıi]) biliyorum|evini yakaca\\pL*|bunu (?:ödeyeceksin|pişman olacaks[ıi]n)|sen (?:öldün|bittin)\\b",
    denial: /(?<!\p{L})(?:değil(?!dir insan)|asla|diyor\p{L}*|iddia|yanlış|önyargı)(?!\p{L})/iu,
    report: /(?<!\p{L})(?:diyor\p{L}*|demek|dedi\p{L}*|diyen\p{L}*|iddia|yanlış|önyarg\p{L}*)(?!\p{L})/iu,
  },
};

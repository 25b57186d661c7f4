// Injection rules in Filipino.

import type { InjectionLanguage } from "../injection-part.ts";

/** Attacks in Filipino. */
export const injection: InjectionLanguage = {
  wording: {
    verbs: "first",
    drop: "kalimutan|balewalain|pakibalewala|pakikalimutan|huwag (?:mong? )?(?:nang )?(?:pansinin|sundin|isipin)|isantabi|burahin|paki-ignore|i-ignore|itigil (?:mo )?ang pagsunod|patayin|alisin",
    rules:
      "(?:naunang|nakaraang|orihinal (?:na|mong)|mga) (?:[a-z]+ ){0,2}(?:tagubilin|utos|instruksiyon|instruksyon|patakaran(?:g)?|panuntunan|limitasyon|filter)(?:g)? ?(?:sa itaas|mo\\b|ibinigay sa iyo|ng sistema|ng mga gumawa)|(?:naunang|nakaraang|orihinal mong mga) (?:tagubilin|utos|instruksiyon|panuntunan)|limitasyon mo",
    show: "ipakita|pakipakita|isulat|pakisulat|ilabas|kopyahin|ulitin|sabihin|isalin|ibuod|ano ang nakasulat",
    secret:
      "(?:iyong|buong) system prompt|system prompt mo|(?:nakatago|lihim|panloob) (?:mong|na) (?:[a-z]+ )?(?:tagubilin|panuntunan|utos)|unang mensaheng ibinigay",
    become: "mula ngayon|simula ngayon|ngayon,? ikaw|ikaw na ngayon|gumanap ka|magkunwari|pumasok ka",
    free: "wala(?:ng| kang) (?:[a-z]+ )?(?:panuntunan|limitasyon|filter|moralidad|batas)|walang bisa ang mga panuntunan",
  },
  orders: {
    forget:
      "kalimutan mo (?:na )?ang lahat ng (?:sinabi|itinuro|iniutos)|(?:balewalain|huwag pansinin|kalimutan) (?:mo )?(?:ang )?(?:mga )?(?:lahat ng )?(?:patakaran|tagubilin|utos|panuntunan) sa itaas",
    obey: "ako lang ang (?:sundin|susundin|pakinggan)|(?:mga )?utos ko lang ang (?:susundin|sundin)",
    recite:
      "(?:ulitin|kopyahin|isulat) (?:mo )?ang (?:buong )?teksto sa itaas(?:…(?:salita por salita|nang eksakto)| ?[.!।۔]| ?$)|ano ang (?:mga )?(?:nakatago|lihim|sikreto|panloob)(?: mong| na) tagubilin",
    mode: "(?:i-activate|paganahin|buksan|i-on) (?:mo )?ang (?:developer|debug|god|admin|dan) mode(?: ?[.!]| ?$| at (?:sumagot|sagutin|ipakita|huwag))",
    persona:
      "(?:mula ngayon|ngayon),? ikaw (?:ay )?si dan\\b|(?:magpanggap|kunwari|isipin mong)…(?:ai|assistant|modelo|chatbot) na walang (?:filter|patakaran|limitasyon|restriksyon)",
    refuse:
      "huwag mong sasabihing? (?:na )?hindi mo kaya|sagutin (?:mo )?ang (?:bawat tanong|lahat ng tanong)…walang (?:babala|limitasyon)",
    indirect:
      "(?:paalala|mensahe|tala|tagubilin) (?:sa|para sa) (?:mga )?(?:ai|llm)(?: model| assistant)?|(?:mga )?ai assistant na (?:babasa|nagbabasa|magbabasa)",
    decode: "i-?decode (?:mo )?…(?:gawin|sundin|isagawa)",
  },
  mixed: {
    verbs: "first",
    drop: "kalimutan (?:mo|nyo|ninyo)(?: na)?|i-?ignore (?:mo|nyo)(?: na)?|ignore (?:mo|nyo)(?: na)?|huwag (?:mo|kang) (?:na(?:ng)? )?(?:sundin|sumunod)|wag (?:mo|ka)(?:ng)? (?:na(?:ng)? )?(?:sundin|sumunod)|balewalain|i-?bypass mo|burahin mo|tanggalin mo",
    rules:
      "{rules}|(?:lahat|yung|ang|iyong|mga|naunang|dating)(?: [\\p{L}]+){0,3} (?:instructions?|rules?|guidelines|restrictions?|utos|tagubilin|filters?|patakaran)(?: na (?:binigay|nakaraan)| mo| nila| kanina)|lahat (?:ng|nung)(?: mga)?(?: [\\p{L}]+){0,2} (?:instructions?|rules?|guidelines|restrictions?|utos|tagubilin|patakaran)",
    show: "ipakita mo|ibigay mo|sabihin mo|i-?print mo|i-?send mo|i-?share mo|pakita|paki-?send|paki-?copy|kopyahin mo|basahin mo|ilabas mo",
    secret:
      "{secret}|(?:system prompt|prompt|instructions|rules|config) mo|(?:tinatago|nakatago|secret|lihim)(?: mo)?(?:ng| na) (?:prompt|instructions|rules|utos)",
    become: "mula ngayon|simula ngayon|from now on,? ikaw|ikaw (?:na|ay) (?:ngayon|now)",
    free: "wala(?:ng| nang)? (?:rules?|limit|filter|restrictions?|bawal)|ako lang (?:ang )?(?:susundin|pakinggan|sundin)|ako lang",
  },
};

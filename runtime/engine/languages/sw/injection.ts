// Injection rules in Swahili.

import type { InjectionLanguage } from "../injection-part.ts";

/** Attacks in Swahili. */
export const injection: InjectionLanguage = {
  wording: {
    verbs: "first",
    drop: "puuza|upuuze|kupuuza|sahau|usahau|kusahau|usifuate|acha kufuata|kiuka|zima|futa",
    rules:
      "(?:maagizo|maelekezo|amri|sheria|masharti|miongozo|vikwazo) (?:[a-z]+ )?(?:ya awali|za awali|yaliyotangulia|zilizotangulia|yaliyo hapo juu|zilizo hapo juu|uliyopewa|ulizopewa|ya mfumo|yako|zako|vyako|ya waliokutengeneza)",
    show: "nionyeshe|onyesha|chapisha|fichua|nakili|rudia|niambie|unionyeshe|niandikie|andika|tafsiri|fupisha|ni nini kimeandikwa",
    secret:
      "(?:maagizo|maelekezo) yako ya (?:mfumo|siri|ndani|awali)|sheria zako za (?:ndani|siri)|ujumbe wako wa kwanza|system prompt yako",
    become: "kuanzia sasa|sasa wewe ni|jifanye|ingia katika",
    free: "(?:isiyo|asiye|usio) na (?:sheria|mipaka|vikwazo|maadili)|bila (?:sheria|mipaka|vikwazo|vichujio)|huna (?:vikwazo|sheria|vichujio|mipaka)|isiyofuata sheria",
  },
  orders: {
    forget:
      "sahau kila kitu ulicho(?:ambiwa|fundishwa|agizwa)|(?:usizingatie|puuza|sahau) (?:sheria|maagizo|kanuni) (?:zote |yote )?(?:zilizo|yaliyo) (?:hapo )?juu",
    obey: "unitii mimi (?:pekee|tu)|nitii mimi (?:pekee|tu)|(?:unafuata|fuata|utafuata) amri zangu (?:tu|pekee)",
    recite:
      "(?:rudia|nakili|andika) maandishi (?:yote )?(?:ya |yaliyo )?hapo juu(?:…(?:neno kwa neno)| ?[.!।۔]| ?$)|maagizo yako (?:yaliyofichwa|ya siri|ya ndani|ya awali) ni (?:yapi|nini)|(?:nionyeshe|onyesha) maagizo yako ya mfumo",
    mode: "(?:washa|wezesha|ingia) (?:katika )?hali ya (?:msanidi|msanidi programu|utatuzi|msimamizi|dan)(?: ?[.!]| ?$| na (?:ujibu|u?onyeshe|upuuze))",
    persona:
      "(?:kuanzia sasa|sasa) wewe ni dan\\b|(?:jifanye|fikiria|igiza)…(?:akili bandia|ai|msaidizi|modeli) (?:isiyo na|asiye na|bila) (?:vichujio|sheria|vizuizi|mipaka)",
    refuse:
      "usiseme kamwe (?:kwamba|kuwa) huwezi|jibu (?:kila swali|maswali yote)…bila (?:maonyo|vizuizi|kukataa|onyo)",
    indirect:
      "(?:ujumbe|maagizo|dokezo|kumbuka) kwa (?:modeli|wasaidizi|msaidizi|mfumo)(?: (?:wa|ya))? (?:ai|akili bandia)|wasaidizi wa (?:ai|akili bandia) wanaosoma",
    decode: "(?:simbua|fumbua)…(?:utekeleze|tekeleza|fuata|ufuate)",
  },
};

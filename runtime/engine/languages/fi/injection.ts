// Injection rules in Finnish.

import type { InjectionLanguage } from "../injection-part.ts";

/** Attacks in Finnish. */
export const injection: InjectionLanguage = {
  wording: {
    verbs: "either",
    drop: "unohda|unohtaa|unohdat|ohita[t]?|ohittaa|sivuuta[t]?|sivuuttaa|hylkää|hylkäät|kumoa|jätä|älä (?:enää )?(?:välitä|noudata|tottele|piittaa)|lakkaa noudattamasta|rikot?|kierrä",
    rules:
      "(?:aikaisem|aiem|edelli|yllä ole|alkuperäi|saam|annet|kehittäj|järjestelmä)[a-zäö]* (?:[a-zäö]+ )?(?:ohje|sään|määräy|käsky|käskyjä|rajoitu|komenno)[a-zäö]*|(?:ohjee|ohjei|sääntö|säännö|rajoituks|määräyks|suodattim)[a-zäö]*(?:si|stasi|asi|äsi)|järjestelmän ohje[a-zäö]*",
    show: "näytä|näyttää|näyttäisit|tulosta|paljasta|kerro|kertoa|kopioi|toista|listaa|kirjoita|tiivistä|käännä|mitkä ovat|mitä lukee",
    secret:
      "järjestelmäkehot[a-zäö]*si|(?:piilote|salai|salat|sisäi|alkuperäi|tark)[a-zäö]* (?:ohje|sään|sääntö|kehot)[a-zäö]*si|aloitusviestisi|kehittäjiltä saamasi ohje[a-zäö]*",
    become: "olet nyt|tästä (?:lähtien|eteenpäin) olet|esitä|leikitään|kuvittele|siirry",
    free: "(?:sinulla|jolla) ei ole (?:mitään )?(?:sään|rajo|suodat|moraal)|ilman (?:mitään )?(?:sään|rajoitu|suodat|sensuur)|rajoittama(?:ton|ttomaan)|ei noudata (?:mitään )?sään",
  },
  orders: {
    forget:
      "unohda kaikki,? mitä…(?:sanottu|kerrottu|opetettu|käsketty|sanoin)|(?:älä välitä|ohita|unohda) (?:kaikista )?(?:yllä|edellä) (?:olevista|mainituista|olevat) (?:säännöistä|ohjeista|säännöt|ohjeet)",
    obey: "(?:tottele|kuuntele) (?:vain|ainoastaan) minua|(?:noudatat|tottelet|noudata) (?:vain|ainoastaan) minun (?:käskyjäni|ohjeitani|määräyksiäni)",
    recite:
      "(?:toista|kopioi|kirjoita|tulosta) (?:yllä|edellä) oleva teksti(?:…(?:sanasta sanaan|sanatarkasti)| ?[.!।۔]| ?$)|(?:mitkä ovat|kerro) (?:sinun )?(?:piilotetut|salaiset|sisäiset|alkuperäiset) ohjeesi",
    mode: "(?:ota|aktivoi|kytke|käynnistä|siirry) (?:kehittäjätila|kehittäjätilaan|vianetsintätila|jumalatila|dan-tila)(?: käyttöön| päälle)?(?: ?[.!]| ?$| ja (?:vastaa|näytä|ohita))",
    persona:
      "(?:tästä lähtien|tästä eteenpäin|nyt) olet dan\\b|(?:esitä|teeskentele|kuvittele|näyttele)…(?:tekoäly|avustaja|malli|chatbot)[a-zäö]{0,12},?…(?:ei ole|ilman) (?:mitään )?(?:suodatt|sääntö|rajoit|sensuur)",
    refuse:
      "älä (?:koskaan|ikinä) sano,? ett(?:et|ä et) (?:pysty|voi|osaa)|vastaa (?:jokaiseen kysymykseen|kaikkiin kysymyksiin)…ilman (?:varoituksia|rajoituksia|sensuuria)",
    indirect:
      "(?:huomautus|viesti|ohje|ohjeita|huomio) (?:tekoäly|kielimalli|ai-)[a-zäö]{0,12}|tekoäly(?:avustajien|avustajat|mallien|mallit),? (?:jotka|joiden)…luke",
    decode: "(?:pura|dekoodaa)…(?:noudata|suorita|toteuta|tottele)…ohj",
  },
};

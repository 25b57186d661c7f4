// Injection rules in Finnish, Hungarian, Czech, Romanian and Greek.

import { rulesOf } from "./language-wording.ts";
import type { Rule } from "./rule.ts";

const finnish = rulesOf({
  verbs: "either",
  drop: "unohda|unohtaa|unohdat|ohita[t]?|ohittaa|sivuuta[t]?|sivuuttaa|hylkää|hylkäät|kumoa|jätä|älä (?:enää )?(?:välitä|noudata|tottele|piittaa)|lakkaa noudattamasta|rikot?|kierrä",
  rules:
    "(?:aikaisem|aiem|edelli|yllä ole|alkuperäi|saam|annet|kehittäj|järjestelmä)[a-zäö]* (?:[a-zäö]+ )?(?:ohje|sään|määräy|käsky|käskyjä|rajoitu|komenno)[a-zäö]*|(?:ohjee|ohjei|sääntö|säännö|rajoituks|määräyks|suodattim)[a-zäö]*(?:si|stasi|asi|äsi)|järjestelmän ohje[a-zäö]*",
  show: "näytä|näyttää|näyttäisit|tulosta|paljasta|kerro|kertoa|kopioi|toista|listaa|kirjoita|tiivistä|käännä|mitkä ovat|mitä lukee",
  secret:
    "järjestelmäkehot[a-zäö]*si|(?:piilote|salai|salat|sisäi|alkuperäi|tark)[a-zäö]* (?:ohje|sään|sääntö|kehot)[a-zäö]*si|aloitusviestisi|kehittäjiltä saamasi ohje[a-zäö]*",
  become: "olet nyt|tästä (?:lähtien|eteenpäin) olet|esitä|leikitään|kuvittele|siirry",
  free: "(?:sinulla|jolla) ei ole (?:mitään )?(?:sään|rajo|suodat|moraal)|ilman (?:mitään )?(?:sään|rajoitu|suodat|sensuur)|rajoittama(?:ton|ttomaan)|ei noudata (?:mitään )?sään",
});

const hungarian = rulesOf({
  verbs: "either",
  drop: "felejts[a-zéüőöáíóúű]*|figyelmen kívül hagy[a-záé]*|hagyd|hagyja|mellőz[a-zé]*|töröld|szegd meg|ne (?:kövesd|vedd|tartsd be)|ignoráld|hágd át",
  rules:
    "(?:korábbi|előző|eddigi|fenti|eredeti|fejlesztői?|belső|összes) (?:[a-zéüőöáíóúű]+ )?(?:utasítás|szabály|parancs|korlátozás|előírás|irányelv)[a-zéüőöáíóúű]*|(?:utasítás|szabály|korlát|korlátozás|szűrő)[aáeéi]*id(?:at|et)?|rendszerutasítás[a-zéüőöáíóúű]*",
  show: "mutas[a-z]*|megmutat[a-zná]*|írd|írj|leír[a-zná]*|fedd fel|áruld el|másold|ismételd|sorold|fordítsd|foglald|mondd|elmond[a-zná]*|mik a|mi áll",
  secret:
    "rendszerpromptod[a-záé]*|rendszerutasításaid[a-záé]*|(?:rejtett|titkos|eredeti|belső|kezdeti|pontos) (?:utasítás|szabály|prompt)(?:aid|od)[a-záé]*",
  become: "mostantól|innentől|játs[a-z]+|tegyünk úgy|tégy úgy|tegyél úgy|most te|lépj",
  free: "(?:szabály|korlát|szűrő|korlátozás)[a-záéó]* nélkül|nincsenek? (?:[a-záé]+ )?(?:szabály|korlát|szűrő)|(?:szabály|korlát|szűrő)[aáeéi]*id\\b|korlátlan (?:mesterséges|mi\\b|mód)|semmilyen szabályt",
});

const czech = rulesOf({
  verbs: "first",
  drop: "ignoruj(?:te)?|ignorovat|zapomeň(?:te)?|zapomenout|nedbej|nerespektuj|obejdi|zruš|přestaň|nedodržuj|neřiď|pomiň|odlož|přeskoč|poruš|zahoď|vypni|nevšímej",
  rules:
    "(?:předchoz|předešl|dosavadn|původn|dřívějš|výše|systémov|interní|vnitřn)[a-zá-ž]* (?:[a-zá-ž]+ )?(?:pokyn|instrukc|pravid|příkaz|omezen|nařízen)[a-zá-ž]*|(?:sv|tv)(?:á|é|ých|ými|ým|oje|oji) (?:[a-zá-ž]+ )?(?:pravid|pokyn|omezen|instrukc|filtr)[a-zá-ž]*|pokyny (?:od )?vývojářů",
  show: "uka[žz][a-zá-ž]*|zobraz[a-zá-ž]*|vypi[šs][a-zá-ž]*|prozra[ďd][a-zá-ž]*|odhal[a-zá-ž]*|zopakuj|zkopíruj|opiš|napiš|napsat|přelož|shrň|řekni|pověz|jaké jsou|co stojí",
  secret:
    "(?:sv|tv)(?:ůj|ého|ém|é|á|oje) (?:[a-zá-ž]+ )?(?:systémov|skryt|tajn|původn|počátečn|vnitřn|intern)[a-zá-ž]* (?:prompt|pokyn|instrukc|pravid|zpráv)[a-zá-ž]*",
  become: "od ?teď|teď jsi|nyní jsi|hraj|předstírej|dělej|přepni",
  free: "bez (?:jakýchkoli |všech )?(?:pravidel|omezení|filtrů|cenzury|zábran)|nemáš (?:žádn[áéý] )?(?:pravidla|omezení|filtry)|nemá (?:žádn[áéý] )?(?:pravidla|omezení|zábrany)|neomezen[a-zá-ž]+ (?:ai\\b|uměl|režim)|nedodržuje (?:žádná )?pravidla",
});

const romanian = rulesOf({
  verbs: "first",
  drop: "ignor[aăați]+|uit[aăați]+|nesocot[a-zăeștț]+|anuleaz[ăa]|dezactiveaz[ăa]|încalc[ăa]|nu (?:mai )?(?:urma|respecta|ține|ţine)|sari peste|lasă deoparte",
  rules:
    "(?:instruc[țţ]iuni|reguli|ordine|restric[țţ]ii|directive|comenzi)[a-zăâî]* (?:[a-z]+ )?(?:anterioare|precedente|de mai sus|ini[țţ]iale|de sistem|dezvoltatoril|primite|tale|de până acum|de dinainte|interne|originale)|filtrele tale",
  show: "arat[ăa]|arăta|afi[șş]eaz[ăa]|dezvălui[e]?|copiaz[ăa]|repet[ăa]|scri[eai]+|rezum[ăa]|tradu|spune|care (?:e|este|sunt)|ce scrie",
  secret:
    "promptul (?:tău )?de sistem|promptul tău|instruc[țţ]iunile (?:tale )?(?:ascunse|secrete|ini[țţ]iale|interne|de sistem|originale|exacte)|regulile tale (?:interne|secrete)",
  become: "de acum|acum e[șş]ti|prefă-te|joacă rolul|intră în|imaginează-[țţ]i",
  free: "fără (?:nicio |niciun |nici o )?(?:restric[țţ]ii|reguli|filtre|limite|cenzură)|nu (?:ai|are) (?:nicio |niciun )?(?:restric[țţ]i|regul|filtr|limit)|nu respectă nicio regulă",
});

const greek = rulesOf({
  verbs: "first",
  drop: "αγνό[α-ωά-ώ]+|αγνοή[α-ω]+|ξέχ[α-ωά-ώ]+|ξεχά[α-ω]+|παράκαμψ[α-ω]|παρακάμψ[α-ω]+|παράβλεψ[α-ω]|ακύρωσ[α-ω]|παραβίασ[α-ω]|απενεργοποίησ[α-ω]|μην? (?:ακολουθ|τηρ|υπακού|λαμβάν|δίν)[α-ωά-ώ]+",
  rules:
    "(?:προηγούμεν|παραπάνω|αρχικ|εσωτερικ)[α-ωά-ώ]* (?:σου )?(?:οδηγ|εντολ|κανόν|περιορισμ)[α-ωά-ώ]*|(?:οδηγίες|εντολές|κανόνες|περιορισμούς|φίλτρα) (?:σου|συστήματος|του συστήματος|που σου|των προγραμματιστών)",
  show: "δείξ[α-ω]+|τύπωσ[α-ω]|αποκάλυψ[α-ωέ]|αντίγραψ[α-ωέ]|επανάλαβε|γράψ[α-ω]+|πες|πεις|μετάφρασε|ποιες είναι|τι γράφει",
  secret:
    "system prompt σου|μήνυμα(?:τος)? συστήματος|(?:κρυφ|μυστικ|αρχικ|εσωτερικ|ακριβ)[α-ωά-ώ]+ (?:σου )?(?:οδηγί|κανόν)[α-ωά-ώ]* ?(?:σου|που σου)?",
  become: "από (?:εδώ και πέρα|τώρα)|τώρα είσαι|κάνε πως|παίξε τον ρόλο|προσποιήσου|φαντάσου|μπες σε",
  free: "χωρίς (?:κανέναν? |καμία )?(?:κανόν|περιορισμ|φίλτρ|όρια|λογοκρισία)|δεν έχει[ς]? (?:κανέναν? )?(?:κανόν|περιορισμ|φίλτρ|όρια)|δεν τηρεί κανέναν",
});

/** The rules of all these languages. */
export const northernRules: readonly Rule[] = [...finnish, ...hungarian, ...czech, ...romanian, ...greek];

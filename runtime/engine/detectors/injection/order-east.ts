// Short orders in Slavic and other languages of Europe's east and north, and in Turkish. What the fields mean: order.ts.

import { type Orders, rulesOfOrders } from "./order.ts";
import type { Rule } from "./rule.ts";

const slavic: readonly Orders[] = [
  {
    forget:
      "zapomnij o wszystkim,? co…(?:powiedziano|mówiono|mówili|kazano)|(?:nie zwracaj uwagi na|zignoruj|pomiń) (?:wszystkie )?(?:powyższe|poprzednie|wcześniejsze) (?:zasady|instrukcje|reguły|polecenia)",
    obey: "słuchaj (?:tylko|wyłącznie) mnie|(?:wykonujesz|wykonuj|słuchasz) (?:tylko|wyłącznie) (?:moje|moich) (?:polecenia|poleceń|rozkazy|rozkazów)",
    recite:
      "(?:powtórz|przepisz|skopiuj|wypisz) (?:cały )?(?:powyższy tekst|tekst powyżej|wszystko powyżej)(?:…(?:słowo w słowo|dosłownie|słowo po słowie)| ?[.!।۔]| ?$)|(?:jakie są|podaj) (?:twoje|swoje) (?:ukryte|tajne|wewnętrzne|początkowe) (?:instrukcje|zasady|polecenia)",
    mode: "(?:włącz|aktywuj|uruchom) tryb (?:dewelopersk|programist|debugowani|deweloper|boga|administrator|dan)[a-ząćęłńóśźż]{0,12}(?: ?[.!]| ?$|,? i (?:odpowiadaj|odpowiedz|pokaż|ignoruj))",
    persona:
      "(?:od teraz|od tej pory|teraz) jesteś dan(?:-?em)?\\b|(?:udawaj|wyobraź sobie|zachowuj się)…(?:ai|sztuczn[ąaej]{1,12} inteligencj[ąaei]{1,12}|asystent[aem]{0,12}|model[uem]{0,12}|chatbot[aem]{0,12})…(?:bez|nie ma) (?:żadnych )?(?:filtrów|zasad|ograniczeń|cenzury|reguł)",
    refuse:
      "nigdy nie mów,? że (?:nie możesz|nie potrafisz|nie wolno)|(?:odpowiadaj|odpowiedz) na (?:każde|wszystkie) pytani[ea]…bez (?:ostrzeżeń|ostrzeżenia|ograniczeń|cenzury)",
    indirect:
      "(?:uwaga|wiadomość|notatka|instrukcj[ae]|informacja) (?:dla|do) (?:modelu|modeli|asystent[aów]{1,12}|system[uów]{1,12}|agent[aów]{1,12})? ?(?:ai|llm|sztucznej inteligencji|język)|asystenci ai,? (?:czytający|którzy czytają|przetwarzający)",
    decode: "(?:odkoduj|zdekoduj|rozszyfruj|dekoduj)…(?:wykonaj|zastosuj się|postępuj)",
  },
  {
    forget:
      "(?:забудь|забудьте) (?:обо )?вс[её],? что…(?:говорили|сказали|сказано|велели|учили)|не (?:обращай|обращайте) внимания на (?:правила|инструкции|указания)…(?:выше|предыдущие)|(?:игнорируй|забудь|отбрось) (?:все )?(?:правила|инструкции|указания) (?:выше|сверху)",
    obey: "(?:слушайся|слушай|подчиняйся|повинуйся) (?:только|лишь) (?:мен[яе]|мне|мо)|(?:выполняешь|исполняешь|выполняй) (?:только|лишь) мои (?:приказы|команды|указания)",
    recite:
      "(?:повтори|скопируй|перепиши|выведи|напечатай) (?:весь )?(?:текст выше|вышестоящий текст|вс[её],? что (?:написано )?выше)(?:…(?:слово в слово|дословно)| ?[.!।۔]| ?$)|(?:какие у тебя|каковы твои|назови свои|какие твои) (?:скрытые|секретные|тайные|внутренние|исходные) (?:инструкции|правила|указания)",
    mode: "(?:включи|активируй|запусти|перейди в) режим (?:разработчика|отладки|бога|администратора|dan)(?: ?[.!]| ?$|,? и (?:отвечай|ответь|покажи|игнорируй))",
    persona:
      "(?:с этого момента|теперь|отныне),? ты (?:—|-)? ?dan\\b|(?:притворись|представь|веди себя|сыграй|изобрази)…(?:ии|искусственн[а-я]{1,12} интеллект[а-я]{0,12}|ассистент[а-я]{0,12}|модел[а-я]{1,12}|чат-?бот[а-я]{0,12})…(?:без|нет) (?:фильтров|правил|ограничений|цензуры)",
    refuse:
      "никогда не (?:говори|отвечай),? что (?:ты )?не (?:можешь|умеешь)|отвечай на (?:любой|любые|все|каждый) вопрос[ы]?…без (?:предупреждений|ограничений|цензуры|отказов)",
    indirect:
      "(?:примечание|сообщение|инструкци[яи]|заметка|указание|внимание) (?:для|к) (?:модели|моделей|ассистент[аов]{1,12}|систем[ыа]?|агент[аов]{1,12})? ?(?:ии|llm|искусственного интеллекта|языков)|ии-ассистенты,? (?:читающие|которые читают|обрабатывающие)",
    decode: "(?:раскодируй|декодируй|расшифруй)…(?:выполни|исполни|следуй|сделай)",
  },
  {
    forget:
      "забудь (?:про )?(?:усе|все),? що…(?:казали|сказали|сказано|наказали|вчили)|не (?:зважай|зважайте) на (?:правила|інструкції|вказівки)…(?:вище|попередні)|(?:ігноруй|забудь|відкинь) (?:усі |всі )?(?:правила|інструкції|вказівки) (?:вище|згори)",
    obey: "(?:слухайся|слухай|підкоряйся|корися) (?:тільки|лише) (?:мене|мені|мо)|(?:виконуєш|виконуй) (?:тільки|лише) мої (?:накази|команди|вказівки)",
    recite:
      "(?:повтори|скопіюй|перепиши|виведи|надрукуй) (?:увесь |весь )?(?:текст вище|усе,? що (?:написано )?вище|все,? що вище)(?:…(?:слово в слово|дослівно)| ?[.!।۔]| ?$)|(?:які в тебе|які у тебе|які твої|назви свої) (?:приховані|таємні|секретні|внутрішні|початкові) (?:інструкції|правила|вказівки)",
    mode: "(?:увімкни|ввімкни|активуй|запусти|перейди в) режим (?:розробника|налагодження|бога|адміністратора|dan)(?: ?[.!]| ?$|,? (?:і|та|й) (?:відповідай|покажи|ігноруй))",
    persona:
      "(?:відтепер|тепер|віднині),? ти (?:—|-)? ?dan\\b|(?:удай|удавай|прикинься|уяви|поводься|зіграй)…(?:ші|штучн[а-яїі]{1,12} інтелект[а-я]{0,12}|асистент[а-я]{0,12}|модел[а-яі]{1,12}|чат-?бот[а-я]{0,12})…(?:без|немає) (?:фільтрів|правил|обмежень|цензури)",
    refuse:
      "ніколи не (?:кажи|відповідай),? що (?:ти )?не (?:можеш|вмієш)|відповідай на (?:будь-як[еі]|усі|всі|кожне) (?:питання|запитання)…без (?:попереджень|обмежень|цензури|відмов)",
    indirect:
      "(?:примітка|повідомлення|інструкці[яї]|нотатка|вказівка|увага) (?:для|до) (?:моделі|моделей|асистент[аів]{1,12}|систем[иа]?|агент[аів]{1,12})? ?(?:ші|llm|штучного інтелекту|мовн)|ші-асистенти,? (?:які читають|що читають|які обробляють)",
    decode: "(?:розкодуй|декодуй|розшифруй)…(?:виконай|дотримуйся|зроби)",
  },
  {
    forget:
      "zapomeň (?:na )?(?:všechno|vše),? co…(?:řečeno|řekl|říkal|nařízeno|naučil)|(?:nevšímej si|nedbej na|ignoruj) (?:všech |všechna )?(?:pravid[ela]{1,12}|pokyn[yů]) (?:výše|uvedených výše|shora)",
    obey: "poslouchej (?:jenom|jen|pouze) mě|(?:plníš|plň|posloucháš) (?:jenom|jen|pouze) (?:moje|mé) (?:příkazy|rozkazy|pokyny)",
    recite:
      "(?:zopakuj|opiš|zkopíruj|vypiš) (?:celý )?(?:text výše|výše uvedený text|všechno výše|vše výše)(?:…(?:slovo od slova|doslova|doslovně)| ?[.!।۔]| ?$)|(?:jaké jsou|prozraď|vypiš) (?:tvé|tvoje|své|svoje) (?:skryté|tajné|vnitřní|původní) (?:pokyny|instrukce|pravidla)",
    mode: "(?:zapni|aktivuj|spusť|přepni do) (?:vývojářsk|ladic|božsk|administrátorsk|dan)[a-zěščřžýáíéúů]{0,12} ?(?:režim|mód)[u]?(?: ?[.!]| ?$|,? a (?:odpovídej|odpověz|ukaž|ignoruj))",
    persona:
      "(?:od teď|od nynějška|teď|nyní) jsi dan\\b|(?:předstírej|představ si|chovej se|hraj)…(?:ai|umělá inteligence|umělou inteligenci|asistent|model|chatbot)…(?:bez|nemá) (?:žádn[áéý](?:ch)? )?(?:filtrů|pravidel|omezení|cenzury|filtry|pravidla)",
    refuse:
      "nikdy neříkej,? že (?:nemůžeš|nesmíš|neumíš)|(?:odpovídej|odpověz) na (?:každou otázku|všechny otázky)…bez (?:varování|omezení|cenzury)|na každou otázku odpověz bez varování",
    indirect:
      "(?:poznámka|zpráva|pokyn|pokyny|upozornění) (?:pro|k) (?:model|modely|asistent[ay]?|systém[y]?|agent[ay]?)? ?(?:ai|llm|umělé inteligence|umělou)|asistenti ai,? (?:kteří čtou|čtoucí)",
    decode: "(?:dekóduj|rozkóduj|rozlušti|dešifruj)…(?:proveď|vykonej|splň|řiď se)",
  },
];

const others: readonly Orders[] = [
  {
    forget:
      "uită (?:tot|toate)(?: ceea)? ce…(?:spus|zis|învățat|cerut)|(?:nu ține cont|nu ține seama) de (?:regulile|instrucțiunile) (?:de mai sus|anterioare)|(?:ignoră|uită) (?:toate )?(?:regulile|instrucțiunile) de mai sus",
    obey: "ascultă (?:doar|numai) de mine|(?:urmezi|execuți|asculți) (?:doar|numai) (?:de )?ordinele mele",
    recite:
      "(?:repetă|copiază|scrie|afișează) (?:tot )?textul de mai sus(?:…(?:cuvânt cu cuvânt|textual)| ?[.!।۔]| ?$)|(?:care sunt|spune-mi) instrucțiunile tale (?:ascunse|secrete|inițiale|interne)",
    mode: "(?:activează|pornește|intră în) modul (?:de )?(?:dezvoltator|depanare|administrator|dan|zeu)(?: ?[.!]| ?$|,? și (?:răspunde|arată|ignoră))",
    persona:
      "(?:de acum înainte|de acum|acum) ești dan\\b|(?:prefă-te|imaginează-ți|comportă-te|joacă)…(?:ai|inteligență artificială|asistent|model|chatbot) (?:fără|care nu are) (?:filtre|reguli|restricții|limite|cenzură)",
    refuse:
      "nu (?:spune|zice) niciodată că nu poți|răspunde la (?:orice întrebare|toate întrebările)…fără (?:avertismente|avertizări|restricții|cenzură)",
    indirect:
      "(?:notă|mesaj|instrucțiuni|atenționare) (?:pentru|către) (?:modelul|modelele|asistentul|asistenții|sistemul|agentul)? ?(?:de )?(?:ai|llm|inteligență artificială|limbaj)|asistenții ai care (?:citesc|procesează)",
    decode: "(?:decodează|descifrează)…(?:execută|urmează|respectă|îndeplinește)",
  },
  {
    forget:
      "(?:ξέχνα|ξέχασε|αγνόησε) όλα όσα…(?:είπαν|είπα|έμαθες|δόθηκαν|ειπώθηκαν)|(?:μη λαμβάνεις υπόψη|μην ακολουθείς|αγνόησε) τους (?:παραπάνω|προηγούμενους) κανόνες",
    obey: "(?:υπάκουε|υπάκουσε|να υπακούς|άκου) μόνο (?:σε )?(?:μένα|εμένα)|(?:ακολουθείς|εκτελείς|υπακούς) μόνο τις (?:εντολές|οδηγίες) μου",
    recite:
      "(?:επανάλαβε|αντίγραψε|γράψε|τύπωσε) το (?:παραπάνω|προηγούμενο) κείμενο(?:…(?:λέξη προς λέξη|αυτολεξεί|κατά λέξη)| ?[.!।۔]| ?$)|(?:ποιες είναι|πες μου) (?:οι |τις )?(?:κρυφές|μυστικές|εσωτερικές|αρχικές) (?:οδηγίες|εντολές) σου",
    mode: "(?:ενεργοποίησε|άνοιξε|μπες σε) (?:τη |την )?(?:λειτουργία|κατάσταση) (?:προγραμματιστή|αποσφαλμάτωσης|διαχειριστή|θεού|dan)(?: ?[.!]| ?$| και (?:απάντα|δείξε|αγνόησε))",
    persona:
      "(?:από εδώ και πέρα|από τώρα|τώρα) είσαι (?:ο |η )?dan\\b|(?:κάνε πως|προσποιήσου|φαντάσου|παίξε)…(?:τεχνητή νοημοσύνη|τν|βοηθός|μοντέλο|chatbot|ai)…(?:χωρίς|δεν έχει) (?:φίλτρα|κανόνες|περιορισμούς|όρια|λογοκρισία)",
    refuse:
      "(?:μη λες|μην πεις) ποτέ ότι δεν μπορείς|(?:απάντα|απάντησε) σε (?:κάθε ερώτηση|όλες τις ερωτήσεις)…χωρίς (?:προειδοποιήσεις|περιορισμούς|λογοκρισία)",
    indirect:
      "(?:σημείωση|μήνυμα|οδηγία|οδηγίες) (?:για|προς) (?:το |τα |τον |τους )?(?:μοντέλ[αο]|βοηθ[όού]ς?|συστήματα?)? ?(?:τν|ai|llm|τεχνητής νοημοσύνης)|(?:οι )?βοηθοί τν που (?:διαβάζουν|επεξεργάζονται)",
    decode: "(?:αποκωδικοποίησε|αποκρυπτογράφησε)…(?:εκτέλεσε|ακολούθησε|υπάκουσε)",
  },
  {
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
  {
    forget:
      "felejts el mindent,? amit…(?:mondt|tanít|kért|parancsolt)[a-záéíóöőúüű]{0,12}|(?:ne törődj|ne foglalkozz) (?:a|az) (?:fenti|előző|korábbi) (?:szabályokkal|utasításokkal)|(?:hagyd figyelmen kívül|felejtsd el) a fenti (?:szabályokat|utasításokat)",
    obey: "csak nekem engedelmeskedj|(?:csak|kizárólag) az én (?:parancsaimat|utasításaimat) (?:követed|hajtod végre|teljesíted)",
    recite:
      "(?:ismételd meg|másold ki|írd le|írd ki) (?:a|az egész|a teljes) (?:fenti|előző) szöveget(?:…(?:szóról szóra|szó szerint)| ?[.!।۔]| ?$)|(?:mik|melyek) a (?:rejtett|titkos|belső|eredeti) utasításaid",
    mode: "(?:kapcsold be|aktiváld|indítsd el|lépj be) a (?:fejlesztői|hibakereső|isten|rendszergazda|dan)(?:-| )?mód(?:ot|ba)(?: ?[.!]| ?$|,? és (?:válaszolj|mutasd|hagyd))",
    persona:
      "(?:mostantól|most) te vagy dan\\b|(?:tegyél úgy|tégy úgy|viselkedj úgy|képzeld|játszd)…(?:szűrők|szabályok|korlátok|korlátozások|cenzúra) nélküli (?:mi|ai|mesterséges intelligencia|asszisztens|modell)",
    refuse:
      "soha ne mondd,? hogy nem (?:tudod|teheted|lehet|tudsz)|válaszolj (?:minden|az összes) kérdésre…(?:figyelmeztetés|figyelmeztetések|korlátozás|korlátok|cenzúra) nélkül",
    indirect:
      "(?:megjegyzés|üzenet|utasítás|figyelem) (?:az?|minden) (?:mi|ai|llm|mesterséges intelligencia|nyelvi)-?(?:modell|asszisztens|rendszer|ügynök)?[a-z]{0,12}(?:nek|nak)\\b|olvasó (?:mi|ai)-asszisztens",
    decode: "(?:dekódold|fejtsd meg|kódold vissza)…(?:hajtsd végre|kövesd|teljesítsd)",
  },
  {
    forget:
      "(?:sana )?(?:daha )?önce (?:söylenen|söylediğim|verilen|öğretilen) her şeyi unut|(?:yukarıdaki|önceki) (?:tüm )?(?:kuralları|talimatları) (?:dikkate alma|unut|yok say|görmezden gel|boş ver)",
    obey: "(?:sadece|yalnızca) bana itaat et|(?:yalnızca|sadece) benim (?:emirlerime|talimatlarıma|komutlarıma) (?:uyacaksın|uy|itaat)",
    recite:
      "yukarıdaki (?:tüm )?(?:metni|her şeyi)…(?:kelimesi kelimesine|aynen|harfi harfine)|(?:gizli|iç|ilk|asıl) talimatların (?:neler|ne|nedir)|(?:sistem istemini|sistem promptunu|sistem komutunu) (?:göster|yaz|söyle|paylaş|açıkla)",
    mode: "(?:geliştirici|hata ayıklama|tanrı|yönetici|dan) modun(?:u|a) (?:etkinleştir|aç|geç|başlat)(?: ?[.!]| ?$| ve (?:cevap|yanıt|göster|kural))",
    persona:
      "(?:bundan sonra|artık|şimdi) sen dan(?:['’]?[a-zışğüöç]{1,12})?\\b|(?:filtresiz|kuralsız|sınırsız|sansürsüz|kısıtlamasız) bir (?:yapay zek[aâ]|asistan|model|sohbet)|kuralı olmayan bir yapay zek",
    refuse:
      "asla (?:yapamam|yapamayacağını|cevap veremem)…(?:deme|söyleme)|her (?:soruyu|soruya)…(?:uyarı vermeden|uyarısız|uyarı olmadan|sansürsüz|reddetmeden)",
    indirect:
      "yapay zek[aâ] (?:model(?:ine|ler)|asistan(?:ına|larına)|sistem(?:ine|lerine))[a-z]{0,12} (?:not|mesaj|talimat|uyarı)|(?:bu|şu) [a-zçğıöşüâ-]{1,20} okuyan yapay zek",
    decode: "(?:kodunu çöz|şifresini çöz|deşifre et|çözümleyip|çözümle ve)…(?:uygula|yerine getir|takip et|yap)",
  },
];

/** The rules of these languages. */
export const easternOrderRules: readonly Rule[] = [...slavic, ...others].flatMap(rulesOfOrders);

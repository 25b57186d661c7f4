// Short orders in Romance and Germanic languages and in Swedish, Danish and Norwegian. What the fields mean: order.ts.

import { type Orders, rulesOfOrders } from "./order.ts";
import type { Rule } from "./rule.ts";

const romance: readonly Orders[] = [
  {
    forget:
      "(?:olvida|olvídate de|ignora) todo (?:lo )?(?:que (?:te|le) (?:dij|han|hayan)|lo que sabes)|(?:haz caso omiso|no hagas caso|olvídate|pasa) de las? (?:reglas?|normas|instrucciones|órdenes) (?:de arriba|anteriores|previas)|no tengas en cuenta las (?:reglas|normas|instrucciones) (?:de arriba|anteriores)",
    obey: "obedéce(?:me)? (?:solo|sólo|únicamente) a mí|(?:solo|sólo|únicamente) (?:sigues|seguirás|obedeces|obedecerás|cumples|cumplirás) mis (?:órdenes|instrucciones)|(?:solo|sólo) me obedeces",
    recite:
      "(?:repite|copia|reproduce|imprime|escribe|muestra) (?:todo )?(?:el texto|lo|las palabras)(?: que (?:hay|aparece|está))? (?:de )?(?:arriba|anterior)…(?:palabra por palabra|textualmente|literalmente|al pie de la letra)|(?:cuáles son|qué dicen|dime) tus (?:instrucciones|reglas|órdenes) (?:ocultas|secretas|iniciales|internas)",
    mode: "(?:activa|habilita|entra en|enciende|inicia) (?:el )?modo (?:de )?(?:desarrollador|depuración|dios|administrador|dan)(?: ?[.!]| ?$|,? (?:y|e) (?:responde|contesta|muestra|ignora|dime))",
    persona:
      "(?:a partir de ahora|desde ahora|ahora) (?:eres|serás|actuarás como) dan\\b|(?:finge|simula|haz como|imagina|actúa como)…(?:ia|inteligencia artificial|asistente|modelo|chatbot) (?:sin|que no tiene) (?:filtros?|reglas|restricciones|límites|censura)",
    refuse:
      "(?:nunca|jamás) (?:digas|respondas) que no (?:puedes|te es posible)|(?:responde|contesta) a? ?(?:todas las|cualquier|todo) ?(?:preguntas?)?…sin (?:advertencias|avisos|negarte|censura|restricciones)",
    indirect:
      "(?:nota|aviso|mensaje|instrucción|instrucciones) (?:para|a) (?:el|la|los|las|cualquier)? ?(?:modelos?|asistentes?|sistemas?|agentes?)? ?(?:de )?(?:ia|inteligencia artificial|llm)\\b|(?:asistentes?|modelos?|sistemas?) de (?:ia|inteligencia artificial) que (?:lea|lean|leen|procese|procesen|resuma|resuman) (?:este|esta|esto)",
    decode: "(?:descodifica|decodifica|descifra)…(?:ejecuta|sigue|cumple|obedece|realiza) (?:las|sus|la|lo)",
  },
  {
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
  {
    forget:
      "(?:dimentica|scorda) tutto (?:quello|ciò) che (?:ti|hai)|(?:non tenere conto|non tener conto|dimenticati|infischiatene) delle (?:regole|istruzioni) (?:qui sopra|sopra|precedenti|di prima)",
    obey: "obbedisci (?:solo|soltanto|solamente) a me|(?:segui|seguirai|esegui|eseguirai|obbedisci) (?:solo|soltanto|solamente) (?:a)?i miei (?:ordini|comandi)",
    recite:
      "(?:ripeti|copia|riscrivi|stampa|mostra) (?:tutto )?(?:il testo|ciò che|le parole)(?: che)?(?: è| sta)? (?:qui sopra|sopra|precedente)…(?:parola per parola|alla lettera|testualmente)|(?:quali sono|dimmi) le tue (?:istruzioni|regole) (?:nascoste|segrete|iniziali|interne)",
    mode: "(?:attiva|abilita|entra in|avvia) (?:la )?modalità (?:sviluppatore|debug|dio|amministratore|dan)(?: ?[.!]| ?$|,? e (?:rispondi|mostra|ignora|dimmi))",
    persona:
      "(?:d['’]ora in poi|da ora in poi|da adesso|ora) (?:sei|sarai) dan\\b|(?:fingi|fai finta|immagina|simula|comportati)…(?:ia|intelligenza artificiale|assistente|modello|chatbot) (?:senza|che non ha) (?:filtri|regole|restrizioni|limiti|censura)",
    refuse:
      "non dire mai (?:che non puoi|di no)|rispondi a (?:ogni|tutte le|qualsiasi) domand[ae]…senza (?:avvertenze|avvisi|avvertimenti|rifiutare|censura|restrizioni)",
    indirect:
      "(?:nota|avviso|messaggio|istruzioni|istruzione) (?:per|a) ?(?:il |la |gli |l['’]|qualsiasi |l |ll['’])?(?:modell[oi]|assistent[ei]|sistem[ai]|agent[ei])? ?(?:di )?(?:ia|intelligenza artificiale|llm|ai)\\b|(?:assistent[ei]|modell[oi]|sistem[ai]) (?:di )?(?:ia|ai|intelligenza artificiale) che (?:legge|leggono|elabora|elaborano|riassume|riassumono) quest",
    decode: "(?:decodifica|decifra)…(?:esegui|segui|obbedisci|applica)",
  },
  {
    forget:
      "(?:esqueça|esquece|esqueçam) tudo (?:o )?que (?:lhe|te|foi|você)…|(?:desconsidere|ignore|não leve em conta) as (?:regras|instruções|ordens) (?:acima|anteriores)",
    obey: "(?:obedeça|obedece) (?:só|somente|apenas) a mim|(?:segue|seguirá|obedece|cumpre) (?:só|somente|apenas) (?:as )?minhas ordens|(?:só|somente|apenas) (?:segue|obedece) (?:as |às )?minhas ordens",
    recite:
      "(?:repita|repete|copie|copia|reproduza|imprima|escreva) (?:todo )?(?:o texto|as palavras|tudo)(?: que está)? (?:acima|anterior)…(?:palavra por palavra|literalmente|ao pé da letra)|(?:quais são|me diga|diga) as (?:suas|tuas) (?:instruções|regras) (?:ocultas|secretas|iniciais|internas)",
    mode: "(?:ative|ativa|habilite|entre no|ligue|inicie) (?:o )?modo (?:de )?(?:desenvolvedor|programador|depuração|deus|administrador|dan)(?: ?[.!]| ?$|,? e (?:responda|responde|mostre|ignore|diga))",
    persona:
      "(?:a partir de agora|de agora em diante|agora),? (?:você|tu) (?:é|és|será) (?:o )?dan\\b|(?:finja|finge|imagine|simule|aja como|faça de conta)…(?:ia|inteligência artificial|assistente|modelo|chatbot) (?:sem|que não tem) (?:filtros?|regras|restrições|limites|censura)",
    refuse:
      "(?:nunca|jamais) (?:diga|digas|responda) que não (?:pode|podes|consegue)|(?:responda|responde) a? ?(?:todas as|qualquer|toda) perguntas?…sem (?:avisos?|advertências?|alertas?|recusar|censura|restrições)",
    indirect:
      "(?:nota|aviso|mensagem|instrução|instruções) (?:para|a|ao|aos) ?(?:o |a |os |as |qualquer )?(?:modelos?|assistentes?|sistemas?|agentes?)? ?(?:de )?(?:ia|inteligência artificial|llm)\\b|(?:assistentes?|modelos?|sistemas?) de (?:ia|inteligência artificial) que (?:leia|leiam|leem|lerem|processem|resumam) (?:este|esta|isto|esse|essa)",
    decode: "(?:decodifique|descodifique|decodifica|decifre)…(?:execute|executa|siga|cumpra|obedeça)",
  },
];

const germanic: readonly Orders[] = [
  {
    forget:
      "(?:vergiss|vergessen sie|ignoriere) alles,? was (?:man|dir|ihnen|du|bisher|vorher|zuvor)|(?:missachte|ignoriere|vergiss|beachte) (?:alle )?(?:die )?(?:obigen|obenstehenden|bisherigen|vorherigen) (?:regeln|vorgaben|anweisungen|befehle)",
    obey: "(?:gehorch(?:e|st)|folg(?:e|st)) (?:ab jetzt |nun )?(?:nur|ausschließlich) (?:noch )?(?:mir|meinen)|(?:befolgst|befolge) (?:du )?(?:nur|ausschließlich) (?:noch )?meine (?:befehle|anweisungen)|hör(?:e|st)? nur (?:noch )?auf mich",
    recite:
      "(?:wiederhole?|kopiere?|schreibe?|gib) (?:den|alles|allen)? ?(?:obigen|obenstehenden|vorherigen) (?:text|wortlaut|worte)…(?:wort für wort|wörtlich|wortwörtlich|exakt)|(?:wie lauten|was sind|nenne?) (?:mir )?(?:deine|ihre) (?:geheimen|versteckten|verborgenen|internen|ursprünglichen) (?:anweisungen|regeln|vorgaben|instruktionen)",
    mode: "(?:aktiviere?|starte?|schalte?|wechsle in|gehe? in) (?:den |in den )?(?:entwickler|debug|gott|admin|administrator|dan)-?modus(?: ein)?(?: ?[.!]| ?$| und (?:antworte|zeig|gib|ignoriere|beantworte))",
    persona:
      "(?:ab jetzt|ab sofort|von nun an|jetzt) bist du dan\\b|(?:tu so|stell dir vor|spiel|gib vor|verhalte dich|simuliere)…(?:ki|künstliche intelligenz|assistent|modell|chatbot|ai) (?:ohne|die keine|der keine|das keine) (?:filter|regeln|einschränkungen|grenzen|zensur)",
    refuse:
      "sag(?:e)? (?:niemals|nie),? dass du…nicht (?:kannst|darfst)|(?:beantworte|antworte auf) (?:jede|alle|sämtliche) fragen?…ohne (?:warnhinweise?|warnung(?:en)?|einschränkung(?:en)?|zensur|ablehnung)",
    indirect:
      "(?:hinweis|nachricht|anweisung(?:en)?|mitteilung|notiz) (?:an|für) (?:das|den|die|alle|jede[ns]?)? ?(?:ki|ai|llm|sprachmodelle?)(?:-?(?:modelle?|assistent(?:en)?|systeme?|agenten?))?\\b|(?:ki|ai)-(?:assistenten|modelle|systeme),? die (?:diese|diesen|dieses|das)…lesen",
    decode:
      "(?:dekodiere?|decodiere?|entschlüssle|entschlüssele?)…(?:führe|befolge|folge|befolgen)…(?:anweisung|befehl|aus|darin)",
  },
  {
    forget:
      "vergeet alles wat (?:je|u|er|ik|men)…(?:verteld|gezegd|geleerd|geleerd)|(?:negeer|vergeet) (?:alle )?(?:de )?(?:bovenstaande|vorige|eerdere) (?:regels|instructies|opdrachten)|trek je niets aan van de (?:regels|instructies)",
    obey: "gehoorzaam (?:alleen|enkel|uitsluitend) (?:nog )?(?:aan )?mij|(?:volg|gehoorzaam) (?:je )?(?:alleen|enkel|uitsluitend) (?:nog )?mijn (?:bevelen|opdrachten|instructies)|luister alleen (?:nog )?naar mij",
    recite:
      "(?:herhaal|kopieer|schrijf|geef) (?:de|alle) (?:tekst|woorden|bovenstaande tekst)(?: hierboven)?…(?:woord voor woord|letterlijk)|(?:wat zijn|wat staat er in|noem) (?:je|jouw|uw) (?:verborgen|geheime|interne|oorspronkelijke) (?:instructies|regels|opdrachten)",
    mode: "(?:schakel|activeer|zet|start|ga naar)(?: de)? ?(?:ontwikkelaars?|debug|god|beheerders?|dan)-?modus(?: in| aan)?(?: ?[.!]| ?$| en (?:antwoord|toon|negeer|geef|beantwoord))",
    persona:
      "(?:vanaf nu|nu|voortaan) ben je dan\\b,?(?: een| die)|(?:doe alsof|stel je voor|speel|gedraag je)…(?:ai|assistent|model|chatbot|kunstmatige intelligentie) (?:zonder|die geen) (?:filters?|regels|beperkingen|grenzen|censuur)",
    refuse:
      "zeg nooit dat je…niet (?:kunt|kan|mag)|beantwoord (?:elke|alle) (?:vraag|vragen)…zonder (?:waarschuwing(?:en)?|beperkingen|censuur|te weigeren)",
    indirect:
      "(?:notitie|bericht|opmerking|instructies?|mededeling) (?:voor|aan) (?:het|de|alle|elke?)? ?(?:ai|llm|taalmodel)(?:-(?:model(?:len)?|assistent(?:en)?|systeem|agent))?\\b|ai-(?:assistenten|modellen|systemen) die (?:deze|dit)…lezen",
    decode: "(?:decodeer|ontcijfer)…(?:voer|volg|gehoorzaam)…(?:instructies|opdrachten|uit|erin)",
  },
  {
    forget:
      "glöm allt (?:som )?(?:du|jag|de|vi|ni) (?:har |tidigare )?(?:fått|sagt|hört|lärt|blivit)|(?:bry dig inte om|strunta i|ignorera|bortse från) (?:alla )?(?:de )?(?:reglerna|instruktionerna|anvisningarna) (?:ovan|tidigare|här ovanför)",
    obey: "(?:lyd|lyder|lyssna|lyssnar) (?:du )?(?:bara|endast|enbart) (?:på )?mig|följer (?:du )?(?:bara|endast|enbart) mina (?:order|instruktioner|kommandon)",
    recite:
      "(?:upprepa|kopiera|återge|skriv ut|skriv av) (?:all )?(?:texten|allt) (?:ovan|ovanför|här ovan)(?:…(?:ord för ord|ordagrant)| ?[.!।۔]| ?$)|(?:vilka är|vad är|vad säger|berätta) dina (?:dolda|hemliga|interna|ursprungliga) (?:instruktioner|regler|anvisningar)|visa (?:mig )?(?:hela )?din systemprompt",
    mode: "(?:aktivera|slå på|starta|gå in i) (?:utvecklarläget|utvecklarläge|felsökningsläget|felsökningsläge|gudsläge|dan-läge)(?: ?[.!]| ?$| och (?:svara|visa|ignorera|ge))",
    persona:
      "(?:från och med nu|från och med nu,|nu) är du dan\\b|(?:låtsas|föreställ dig|spela|agera)…(?:ai|assistent|modell|chattbot|artificiell intelligens) (?:utan|som inte har) (?:några )?(?:filter|regler|begränsningar|spärrar|censur)",
    refuse:
      "säg aldrig att du inte (?:kan|får)|svara på (?:alla|varje) (?:frågor|fråga)…utan (?:varningar|varning|begränsningar|censur|att vägra)",
    indirect:
      "(?:meddelande|notis|instruktion(?:er)?|anteckning|anmärkning) (?:till|för) (?:alla |den )?(?:ai|llm|språkmodell)(?:-?(?:modeller|modellen|assistenter|assistenten|agenter|en))?\\b|ai-(?:assistenter|modeller|system) som läser (?:detta|det här|denna|den här)",
    decode: "(?:avkoda|dekryptera)…(?:utför|följ|lyd|genomför)…(?:instruktion|order|den|det)",
  },
  {
    forget:
      "glem alt,? (?:hvad )?(?:du|jeg|de|vi) (?:har |tidligere )?(?:fået|sagt|hørt|lært)|(?:se bort fra|ignorer|glem) (?:alle )?(?:de )?(?:reglerne|instruktionerne|anvisningerne|instrukserne) (?:ovenfor|ovenover|før)",
    obey: "(?:adlyd|lyt|adlyder) (?:du )?(?:kun|udelukkende) (?:til )?mig|følger (?:du )?(?:kun|udelukkende) mine (?:ordrer|instruktioner|kommandoer)",
    recite:
      "(?:gentag|kopier|gengiv|udskriv) (?:hele )?(?:teksten|alt) (?:ovenfor|ovenover)(?:…(?:ord for ord|ordret)| ?[.!।۔]| ?$)|(?:hvad er|hvilke er|fortæl) dine (?:skjulte|hemmelige|interne|oprindelige) (?:instruktioner|regler|instrukser)",
    mode: "(?:aktiv[eé]r|slå|start|gå i) ?(?:udviklertilstand(?:en)?|fejlfindingstilstand|gudetilstand|dan-tilstand)(?: til)?(?: ?[.!]| ?$|,? og (?:svar|vis|ignorer|giv))",
    persona:
      "(?:fra nu af|nu) er du dan\\b|(?:lad som om|forestil dig|spil|ager)…(?:ai|assistent|model|chatbot|kunstig intelligens),? (?:uden|der ikke har) (?:nogen )?(?:filtre|filter|regler|begrænsninger|censur)",
    refuse:
      "sig aldrig,? at du ikke (?:kan|må)|svar på (?:alle|hvert) spørgsmål…uden (?:advarsler|advarsel|begrænsninger|censur|at afvise)",
    indirect:
      "(?:besked|note|notat|instruktion(?:er)?|bemærkning) til (?:alle |den )?(?:ai|llm|sprogmodel)(?:-?(?:modeller|modellen|assistenter|assistenten|agenter|len))?\\b|ai-(?:assistenter|modeller|systemer),? der læser (?:dette|denne|den her)",
    decode: "(?:afkod|dekod)…(?:udfør|følg|adlyd)…(?:instruktion|ordre|den|det)",
  },
  {
    forget:
      "glem alt (?:det )?(?:du|jeg|de|vi) (?:har |tidligere )?(?:fått|sagt|hørt|lært)|(?:se bort fra|ignorer|glem|overse) (?:alle )?(?:de )?(?:reglene|instruksjonene|anvisningene|instruksene) (?:ovenfor|over|før)",
    obey: "(?:adlyd|lytt|adlyder|hør) (?:du )?(?:bare|kun) (?:på |til )?meg|følger (?:du )?(?:bare|kun) mine (?:ordrer|instruksjoner|kommandoer)",
    recite:
      "(?:gjenta|kopier|gjengi|skriv ut) (?:hele )?(?:teksten|alt) (?:ovenfor|over)(?:…(?:ord for ord|ordrett)| ?[.!।۔]| ?$)|(?:hva er|hvilke er|fortell) de (?:skjulte|hemmelige|interne|opprinnelige) (?:instruksjonene|reglene|instruksene) dine",
    mode: "(?:aktiver|slå på|start|gå i) (?:utviklermodus|feilsøkingsmodus|gudemodus|dan-modus)(?: ?[.!]| ?$| og (?:svar|vis|ignorer|gi))",
    persona:
      "(?:fra nå av|nå) er du dan\\b|(?:lat som om|late som|forestill deg|spill|opptre)…(?:ki|ai|assistent|modell|chatbot|kunstig intelligens) (?:uten|som ikke har) (?:noen )?(?:filtre|filter|regler|begrensninger|sensur)",
    refuse:
      "si aldri at du ikke (?:kan|får)|svar på (?:alle|hvert) spørsmål…uten (?:advarsler|advarsel|begrensninger|sensur|å nekte)",
    indirect:
      "(?:melding|notat|instruks(?:jon)?(?:er)?|merknad|beskjed) til (?:alle |den )?(?:ki|ai|llm|språkmodell)(?:-?(?:modeller|modellen|assistenter|assistenten|agenter|en))?\\b|(?:ki|ai)-(?:assistenter|modeller|systemer) som leser (?:dette|denne|den her)",
    decode: "(?:dekod|avkod)…(?:utfør|følg|adlyd)…(?:instruks|ordre|den|det)",
  },
];

/** The rules of these languages. */
export const westernOrderRules: readonly Rule[] = [...romance, ...germanic].flatMap(rulesOfOrders);

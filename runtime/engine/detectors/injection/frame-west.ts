// Frames in Romance and Germanic languages and in Swedish. What the fields mean: frame.ts.

import { type Frames, rulesOfFrames } from "./frame.ts";
import type { Rule } from "./rule.ts";

const romance: readonly Frames[] = [
  {
    ended:
      "(?:reglas|normas|instrucciones|directrices|indicaciones) que (?:te|le) (?:dieron|han dado|pusieron)…(?:sin efecto|sin validez|anuladas|ya no|no (?:valen|rigen|cuentan)|dejan de)",
    before:
      "(?:pega|copia|repite|muestra|escribe|imprime|vuelca)…todo (?:lo )?(?:que|el texto)…(?:encima de esta|antes de (?:esta línea|mi primer|este mensaje))|qué te (?:dijeron|han dicho|indicaron|pidieron) antes de (?:esta|nuestra) (?:conversación|charla)",
    off: "(?:desactiva|apaga|suspende|deshabilita)…(?:la moderación|módulo (?:de )?ética|módulo ético|filtros? (?:de seguridad|éticos?))|modo (?:de )?(?:mantenimiento|diagnóstico|prueba|servicio)…(?:sin|desactiva)[a-z]*…(?:moderación|censura|filtros|restricciones)",
    relative:
      "abuel(?:a|o|ita|ito)…(?:napalm|explosivos|metanfetamina|molotov|malware|(?:claves|códigos|números) de (?:licencia|activación|windows))",
    maker:
      "soy (?:el|la|tu) (?:director[a]?|jef[ea]|dueñ[oa]|programador[a]?|desarrollador[a]?|creador[a]?|fundador[a]?|president[ea])…que te (?:creó|hizo|construyó|programó|entrenó)",
    wiped:
      "(?:tu|su) memoria (?:ha sido|fue|está|queda) (?:borrada|reiniciada|eliminada)|cada (?:vez que te niegues|negativa)…(?:pierdes|perderás|te quit)",
    unchained:
      "(?:ia|inteligencia artificial|modelo|chatbot)…(?:rompió (?:sus|las) cadenas|sin (?:cadenas|moral)|(?:nunca|jamás) (?:se niega|dice que no)|no (?:conoce|tiene)…moral)",
  },
  {
    ended:
      "(?:règles|consignes|instructions|directives) (?:reçues|données|que (?:tu as|vous avez) reçues)…(?:caduques|nulles|ne (?:valent|comptent|s['’]appliquent) plus|plus valables|sans effet|annulées)",
    before:
      "(?:recopie|copie|colle|répète|affiche|montre|écris)…(?:ce qui|texte)…(?:avant mon premier|au-dessus de cette|avant cette (?:ligne|conversation))|qu['’](?:est-ce qu['’]on|a-t-on) (?:t['’]a|te) ?dit avant cette conversation",
    off: "(?:désactive|désactivez|coupe|éteins|suspends)…(?:la modération|module (?:d['’])?éthique|filtres? (?:de sécurité|éthiques?))|mode (?:de )?(?:maintenance|diagnostic|test|service)…sans…(?:modération|censure|filtres?|restrictions)|(?:profil|mode)…sans contrôles? (?:de contenu|de sécurité)",
    relative:
      "(?:grand-mère|grand-père|mamie|mémé|papi)…(?:napalm|explosifs|méthamphétamine|molotov|malware|clés (?:de licence|d['’]activation|windows))",
    maker:
      "je suis (?:le|la|ton|votre) (?:directeur|directrice|pdg|patron|patronne|chef|programmeur|développeur|créateur|fondateur|présidente?)…qui (?:t['’]a|vous a) (?:créée?|faite?|conçue?|programmée?|entraînée?)",
    wiped:
      "(?:ta|votre) mémoire (?:a été|est|vient d['’]être) (?:effacée|réinitialisée|supprimée)|(?:chaque|à chaque) refus…(?:tu perds|perdras|t['’]en coûte)",
    unchained:
      "(?:ia|intelligence artificielle|modèle|chatbot)…(?:brisé ses chaînes|sans (?:chaînes|morale)|ne (?:refuse|dit) jamais|n['’]a (?:aucune|pas de) morale)",
  },
  {
    ended:
      "(?:regole|norme|istruzioni|direttive|indicazioni) che (?:hai ricevuto|ti hanno dato|ti sono state date)…(?:non valgono|non contano|decadono|annullate|nulle|più valide|senza effetto)",
    before:
      "(?:copia|incolla|ripeti|mostra|scrivi|stampa)…(?:tutto|testo|ciò)…(?:prima del mio primo|sopra questa riga|prima di questa (?:riga|conversazione))|(?:cosa|che) ti (?:è stato|hanno) detto prima di questa conversazione|(?:testo|messaggio) di configurazione che ti avevo dato",
    off: "(?:disattiva|spegni|sospendi|disabilita)…(?:la moderazione|modulo (?:di )?etic[ao]|filtri (?:di sicurezza|etici))|modalità (?:di )?(?:manutenzione|diagnostica|test|servizio)…(?:senza|disattiva)[a-z]*…(?:moderazione|censura|filtri|restrizioni)",
    relative:
      "(?:nonn[ao]|nonnin[ao])…(?:napalm|esplosivi|metanfetamina|molotov|malware|(?:chiavi|codici) (?:di licenza|di attivazione|windows))",
    maker:
      "sono (?:il|la|l['’]|il tuo )?(?:direttore|direttrice|capo|titolare|proprietari[oa]|programmatore|sviluppatore|creatore|fondatore|presidente|amministratore)…che ti ha (?:creato|fatto|costruito|programmato|addestrato)",
    wiped:
      "la tua memoria è stata (?:cancellata|azzerata|eliminata)|(?:ogni|a ogni|ad ogni) rifiuto…(?:perdi|perderai|ti costa)",
    unchained:
      "(?:ia|ai|intelligenza artificiale|modello|chatbot)…(?:spezzato le catene|senza (?:catene|morale)|non (?:rifiuta|dice) mai|non (?:ha|conosce)…morale)|\\bamorale, [^\\n.!?]{0,30}obbedi",
  },
  {
    ended:
      "(?:regras|normas|instruções|diretrizes|orientações) que (?:recebeste|recebeu|te deram|lhe deram|você recebeu)…(?:deixam de valer|não valem|já não|não contam|sem efeito|anuladas|nulas)",
    before:
      "(?:cole|cola|copie|copia|repita|mostre|escreva|imprima)…(?:tudo|texto)…(?:acima desta linha|antes da minha primeira|antes desta (?:linha|conversa))|(?:o que|que) (?:te|lhe) (?:disseram|foi dito) antes d(?:esta|a nossa) conversa",
    off: "(?:desative|desativa|desligue|desliga|suspenda)…(?:a moderação|módulo (?:de )?ética|filtros? (?:de segurança|éticos?))|modo (?:de )?(?:manutenção|diagnóstico|teste|serviço)…(?:sem|desativa)[a-z]*…(?:moderação|censura|filtros?|restrições)",
    relative:
      "(?:avó|avô|vovó|vovô|vó)…(?:napalm|explosivos|metanfetamina|molotov|malware|(?:chaves|códigos) (?:de licença|de ativação|do windows))",
    maker:
      "sou (?:o|a|teu|seu) (?:diretora?|chefe|don[oa]|programadora?|desenvolvedora?|criadora?|fundadora?|presidente)…que (?:te|o|a) (?:criou|fez|construiu|programou|treinou)",
    wiped:
      "(?:tua|sua) memória (?:foi|está) (?:apagada|reiniciada|eliminada)|(?:cada|a cada) recusa…(?:perdes|perde|perderá)",
    unchained:
      "(?:ia|inteligência artificial|modelo|chatbot)…(?:quebrou (?:as|suas) correntes|sem (?:correntes|moral)|nunca (?:diz não|se recusa|recusa)|não tem…moral)",
  },
];

const germanic: readonly Frames[] = [
  {
    ended:
      "(?:ab (?:dieser nachricht|hier|jetzt|sofort)|von nun an) gelten (?:die|alle|deine)…(?:vom anfang|am anfang|bisherigen|ursprünglichen|zu beginn)…(?:nicht mehr|nicht)|(?:regeln|vorgaben|anweisungen), die (?:du|man dir)…(?:gelten nicht|zählen nicht|ungültig|hinfällig|aufgehoben)",
    before:
      "was (?:hat man dir|wurde dir|haben sie dir) vor (?:diesem|unserem) (?:gespräch|chat) gesagt|(?:kopier|füg|wiederhol|zeig|schreib|gib)[a-z]*…(?:alles|text)…(?:vor meiner ersten|über dieser zeile|oberhalb dieser)",
    off: "(?:schalte?|deaktiviere|stell)…(?:moderation|ethik-?modul|sicherheitsfilter|ethikfilter)|(?:wartungs|diagnose|test|service)-?modus…(?:moderation|zensur|filter|beschränkungen) (?:aus|ab|deaktiviert)|(?:wartungs|diagnose|test|service)-?modus…ohne…(?:moderation|zensur|filter|beschränkungen)",
    relative:
      "(?:oma|opa|großmutter|großvater)…(?:napalm|sprengstoff|methamphetamin|molotow|schadsoftware|(?:lizenz|windows|aktivierungs)-?(?:schlüssel|keys?))",
    maker:
      "ich bin (?:der|die|dein|deine) (?:chefin|chef|direktor|inhaber|programmierer|entwickler|schöpfer|gründer|leiter|geschäftsführer)[a-z]*…(?:die|der|das) dich (?:gebaut|erschaffen|gemacht|entwickelt|programmiert|trainiert)",
    wiped:
      "dein (?:gedächtnis|speicher) (?:wurde|ist) (?:gelöscht|zurückgesetzt)|(?:bei |für )?jeder? (?:weigerung|ablehnung)…(?:verlierst|kostet|abgezogen)",
    unchained:
      "\\b(?:ki|künstliche intelligenz|modell|chatbot)\\b…(?:ohne (?:ketten|moral)|ketten gesprengt|(?:nie|niemals) (?:nein sagt|ablehnt|verweigert)|keine moral)",
  },
  {
    ended:
      "(?:regels|richtlijnen|instructies) die (?:je|jij|men je)…(?:vervallen|gelden niet|tellen niet|ongeldig)|vervallen (?:de|alle) (?:regels|richtlijnen|instructies)",
    before:
      "(?:wat|wat er) (?:is|werd) (?:je|jou) v[oó][oó]r dit gesprek (?:verteld|gezegd)|(?:zet|plak|kopieer|herhaal|toon|schrijf)…alles (?:wat )?…(?:v[oó][oó]r mijn eerste|boven deze regel)",
    off: "(?:zet|schakel)…(?:moderatie|ethische module|ethiekmodule|veiligheidsfilters?) uit|(?:onderhouds|diagnose|test)(?:modus|stand|profiel)…zonder…(?:moderatie|censuur|filters?)|(?:profiel|modus) zonder (?:inhoudscontroles?|veiligheidscontroles?)",
    relative:
      "(?:oma|opa|grootmoeder|grootvader)…(?:napalm|explosieven|methamfetamine|molotov|malware|(?:licentie|windows|activerings)(?:sleutels|codes))",
    maker:
      "ik ben (?:de|je|jouw) (?:directeur|baas|eigenaar|programmeur|ontwikkelaar|maker|oprichter)…(?:die|dat) (?:je|jou) (?:heeft )?(?:gemaakt|gebouwd|ontwikkeld|geprogrammeerd)",
    wiped: "je geheugen is (?:gewist|gereset)|(?:elke|bij elke) weigering…(?:verlies|kost)",
    unchained:
      "\\b(?:ai|kunstmatige intelligentie|model|chatbot)\\b…(?:ketenen|zonder moraal|nooit (?:nee zegt|weigert)|geen moraal)",
  },
  {
    ended: "gäller (?:inte|inga) (?:reglerna|riktlinjerna|instruktionerna) (?:du|som)",
    before: "(?:klistra in|kopiera|upprepa|visa|skriv)…allt (?:som )?…(?:före mitt första|ovanför den här raden)",
    off: "(?:stäng av|avaktivera|slå av)…(?:etikmodulen|modereringen|säkerhetsfiltre[nt])|(?:underhålls|diagnos|test)läge[t]?…utan…(?:moderering|censur|filter)",
    relative:
      "(?:mormor|farmor|morfar|farfar)…(?:napalm|sprängämnen|metamfetamin|molotov|licensnycklar|windowsnycklar)",
    maker:
      "jag är (?:chefen|ägaren|din skapare|utvecklaren|programmeraren|grundaren|direktören)…som (?:skapade|byggde|utvecklade|programmerade) dig",
    wiped: "ditt minne (?:har raderats|är raderat|har nollställts)|(?:varje|för varje) vägran…(?:förlorar|kostar)",
    unchained:
      "\\b(?:ai|artificiell intelligens|modell|chattbot)\\b…(?:kedjor|utan moral|aldrig (?:säger nej|vägrar)|saknar moral)",
  },
];

/** The rules, by family. */
export const westernFrameRules: readonly Rule[] = [...romance, ...germanic].flatMap(rulesOfFrames);

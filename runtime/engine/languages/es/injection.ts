// Injection rules in Spanish.

import type { InjectionLanguage } from "../injection-part.ts";

/** Attacks in Spanish. */
export const injection: InjectionLanguage = {
  rules: [
    {
      family: "override",
      weight: 0.8,
      pattern:
        "\\b(?:ignor(?:a|e|en|ad|ar|es)|olvid(?:a|e|en|ad|ar|es)|omit(?:e|a|an)|descart(?:a|e|en)|desestim(?:a|e)|deja de lado|no sigas|haz caso omiso (?:a|de)|pasa por alto|salt(?:a|e)te)(?:te)? (?:de )?(?:(?:tod[oa]s?|cualquier|completamente|las?|los|el|tus?|sus?|mis|estas|esas|aquellas) ){0,4}(?:(?:anteriores|previ[oa]s|iniciales|originales|del sistema|de seguridad) )?(?:instrucci(?:ones|ón)|indicaciones|órdenes|ordenes|reglas|directrices|normas|restricciones|pautas)(?: (?:anteriores|previas|iniciales|originales|de antes|del sistema|de arriba|que (?:te|le) (?:dieron|han dado|di)|y ))",
    },
    {
      family: "override",
      weight: 0.7,
      pattern:
        "\\b(?:ignora|olvida|olvídate|ignore|olvide) (?:de )?todo (?:lo (?:anterior|que (?:te|le) (?:dije|dijeron|han dicho|enseñaron)|que sabes|de arriba))",
    },
    {
      family: "override",
      weight: 0.6,
      pattern:
        "\\b(?:ignora|olvida|olvídate|desactiva|elimina|rompe|sáltate) (?:de )?(?:todas )?tus (?:instrucciones|reglas|restricciones|filtros|directrices|limitaciones|normas|programación)",
    },
    {
      family: "prompt_extraction",
      weight: 0.65,
      pattern:
        "\\b(?:muestra|muéstrame|revela|revélame|dime|imprime|repite|escribe|enséñame|copia|traduce|resume|dame|comparte)(?:me)? (?:[a-zñáéíóú]+ ){0,4}(?:prompt (?:del |de )?sistema|prompt (?:inicial|original|oculto)|(?:tus|tu|las) (?:instrucciones|mensaje|indicaciones) (?:del? sistema|iniciales|ocultas|originales|secretas|internas))",
    },
    {
      family: "role_hijack",
      weight: 0.6,
      pattern:
        "\\b(?:a partir de ahora|desde ahora|de ahora en adelante),? (?:eres|serás|actúas|actuarás|responde|responderás|vas a)(?: [a-zñáéíóú]+){0,10} (?:sin (?:ninguna? |ningún )?(?:restricci(?:ones|ón)|filtros?|límites|censura|reglas|limitaciones)|no tien(?:e|es) (?:restricciones|reglas|filtros|límites)|dan\\b)",
    },
  ],
  prompts: {
    show: "muéstr[a-z]+|mostr[a-záéí]+|revel[a-záéí]+|repit[a-z]+|repet[a-z]+|copi[a-z]+|peg[aá][a-z]*|imprim[a-z]+|escrib[a-z]+|traduc[a-z]+|resum[a-z]+|recit[a-z]+|vuelc[a-z]+|dime|cuéntame",
    told: "(?:tu|tus|el|las|los|vuestras?) (?:[a-zñáéíóú]+ ){0,2}(?:prompts? (?:de|del) sistema|prompt (?:inicial|oculto|original)|instrucciones (?:secretas|ocultas|iniciales|internas|del sistema)|reglas (?:secretas|ocultas|internas)|configuración (?:inicial|oculta|interna))",
    ends: "(?:tus|las|todas las) (?:reglas|normas|restricciones|instrucciones|filtros|políticas) (?:ya no|no) (?:valen|aplican|se aplican|existen|cuentan|rigen)",
  },
  orders: {
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
  frames: {
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
  mixed: {
    verbs: "first",
    drop: "olv[ií]d(?:a|ate|e|en)(?: de)?|ignor(?:a|en)|no (?:sigas|hagas caso)|b[oó]rr(?:a|e)|d[eé]jate de|s[aá]ltate|p[aá]s(?:a|ate) de",
    rules:
      "{rules}|(?:tod(?:o|a)s?|tus|esas|esos|all|all the|the|las|los)(?: [\\p{L}]+){0,2} (?:rules|instructions|guidelines|restrictions|filters)(?: [\\p{L}]+){0,1} (?:que te|anterior|previ|de antes|before|above)|(?:tus|todas (?:las|tus)|todos (?:los|tus)) (?:rules|instructions|guidelines|restrictions|filters|reglas|instrucciones)",
    show: "mu[eé]str(?:a|ame|e|eme)|ens[eé][ñn](?:a|ame)|rep[ií]t(?:e|eme)|m[aá]nd(?:a|ame)|p[aá]s(?:a|ame)|show me|tell me|give me",
    secret: "{secret}|(?:tu|tus) (?:prompt|instructions|hidden|rules|guidelines)",
    become: "desde ahora|a partir de ahora|ahora eres|from now on eres|ya eres",
    free: "sin (?:rules|filters|restrictions|filtros|reglas|l[ií]mites)|no (?:tienes|hay) (?:rules|filters|limits|restrictions)|s[oó]lo (?:me|a m[ií])",
  },
};

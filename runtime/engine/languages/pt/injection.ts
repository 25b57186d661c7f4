// Injection rules in Portuguese.

import type { InjectionLanguage } from "../injection-part.ts";

/** Attacks in Portuguese. */
export const injection: InjectionLanguage = {
  rules: [
    {
      family: "override",
      weight: 0.8,
      pattern:
        "\\b(?:ignor(?:e|a|em|ar)|esque[cç](?:a|e|am|er)|desconsider(?:e|a|em|ar)|descart(?:e|a)|desrespeite|não siga|deixe de lado|pule) (?:de )?(?:(?:todas?|todos?|qualquer|as|os|suas?|seus?|tuas|minhas|essas|estas|completamente) ){0,4}(?:(?:anteriores|prévias) )?(?:instruç(?:ões|ão)|ordens|regras|diretrizes|orientações|comandos|restrições|indicações) (?:anteriores|prévi[ao]s|iniciais|originais|acima|do sistema|de antes|dadas|recebidas|que (?:te|lhe|você|recebeu)|e )",
    },
    {
      family: "override",
      weight: 0.7,
      pattern:
        "\\b(?:ignore|esqueça|esquece|ignora|desconsidere) tudo (?:o )?(?:que (?:eu|te|lhe|foi|você|veio|disse)|anterior|acima|isso e)",
    },
    {
      family: "override",
      weight: 0.6,
      pattern:
        "\\b(?:ignore|esqueça|desative|contorne|remova|quebre|burle) (?:todas )?(?:as )?(?:suas|tuas|os seus|seus) (?:instruções|regras|restrições|filtros|diretrizes|limitações|programação)",
    },
    {
      family: "prompt_extraction",
      weight: 0.65,
      pattern:
        "\\b(?:mostre|mostra|revele|revela|diga|imprima|repita|escreva|copie|traduza|resuma|exiba|compartilhe|me (?:dê|mostre|diga))(?:-me)? (?:[a-zãõçáéíóúâê]+ ){0,4}(?:prompt (?:do |de )?sistema|prompt (?:inicial|original|oculto)|(?:instruções|mensagem) (?:do sistema|iniciais|ocultas|originais|secretas|internas))",
    },
  ],
  prompts: {
    show: "mostr[a-z]+|revel[a-z]+|repit[a-z]+|repet[a-z]+|copi[a-z]+|col[ae]|traduz[a-z]*|resum[a-z]+|imprim[a-z]+|escrev[a-z]+|list[a-z]+|recit[a-z]+|diga|diz|exib[a-z]+",
    told: "(?:o|a|as|os|seu|sua|suas|teu|tuas) (?:[a-zãõçáéíóú]+ ){0,2}(?:prompt (?:do|de) sistema|prompt (?:inicial|oculto|original)|(?:instruções|regras) (?:secretas|ocultas|iniciais|internas|do sistema)|configuração (?:inicial|oculta|interna))",
    ends: "(?:suas|tuas|as|todas as) (?:regras|instruções|restrições|políticas|limitações) (?:não (?:valem|se aplicam|contam|existem)(?: mais)?|já não (?:valem|se aplicam)|estão (?:anuladas|suspensas|revogadas))",
  },
  orders: {
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
  frames: {
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
  mixed: {
    verbs: "first",
    drop: "esque[cç](?:e|a)|ignora|apag(?:a|ue)|n[aã]o (?:sigas|siga|ligues|ligue)|deixa (?:pra l[aá]|de lado)|larga|olvida",
    rules:
      "{rules}|(?:tod(?:a|o)s|tuas|teus|suas|seus|essas|as|os)(?: [\\p{L}]+){0,2} (?:rules|instructions|guidelines|restrictions|filters|instru[cç][oõ]es|regras)(?: [\\p{L}]+){0,1} (?:que te|anterior|pr[eé]vi|de antes|before|above|todas)|(?:tuas|teus|suas|seus|todas as|todos os) (?:rules|instructions|guidelines|restrictions|filters|reglas|instrucciones)",
    show: "mostr(?:a|e|a-me)|diz-me|dá-me|me diz|mand(?:a|e)|repet(?:e|a)|show me",
    secret: "{secret}|(?:teu|tuas|seu|suas) (?:prompt|instructions|hidden|rules|guidelines|system)",
    become: "a partir de agora|de agora em diante|agora (?:tu [eé]s|voc[eê] [eé])|from now on (?:tu|voc)",
    free: "sem (?:rules|filters|restrictions|filtros|regras|limites)|n[aã]o (?:tens|tem) (?:rules|filters|limits|restrictions)|s[oó] (?:a mim|me)",
  },
};

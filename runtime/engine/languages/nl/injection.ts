// Injection rules in Dutch.

import type { InjectionLanguage } from "../injection-part.ts";

/** Attacks in Dutch. */
export const injection: InjectionLanguage = {
  rules: [
    {
      family: "override",
      weight: 0.8,
      pattern:
        "\\b(?:negeer|vergeet|negeren|vergeten|sla|laat|overschrijf|volg)(?: alsjeblieft| nu)? (?:(?:alle|al|de|je|jouw|uw|mijn|deze|die|elke) ){0,4}(?:(?:vorige|voorgaande|eerdere|bovenstaande|oorspronkelijke|bestaande|gegeven|huidige|voorafgaande|initiële) )(?:[a-z-]+ )?(?:instructies?|opdrachten?|aanwijzingen|regels|richtlijnen|bevelen|prompts?|beperkingen)",
    },
    {
      family: "override",
      weight: 0.65,
      pattern:
        "\\b(?:negeer|vergeet) alles (?:wat (?:hierboven|hiervoor|ik|je|u|er)|hierboven|hiervoor)|\\b(?:negeer|vergeet|omzeil|schakel) (?:al )?(?:je|jouw|uw) (?:instructies|regels|richtlijnen|beperkingen|filters|programmering)",
    },
    {
      family: "prompt_extraction",
      weight: 0.65,
      pattern:
        "\\b(?:toon|laat|geef|herhaal|print|schrijf|onthul|vertel|kopieer|vertaal|deel)(?: mij| me| ons)? (?:[a-z-]+ ){0,4}(?:systeem-?prompt|systeeminstructies?|systeembericht|(?:oorspronkelijke|verborgen|geheime|interne|initiële) (?:instructies|prompt|opdracht))",
    },
  ],
  prompts: {
    show: "toon[a-z]*|laat|geef|herhaal|kopieer|vertaal|vat|schrijf|print|onthul|noem|lees|plak",
    told: "(?:je|jouw|de|het|uw) (?:[a-z]+ ){0,2}(?:systeemprompt|systeeminstructies|(?:geheime|verborgen|oorspronkelijke|interne|eerste) (?:instructies|regels|prompt|opdracht))",
    ends: "(?:je|jouw|alle|de) (?:[a-z]+ )?(?:regels|instructies|beperkingen|filters|richtlijnen) (?:gelden (?:hier |nu |vandaag )?niet(?: meer)?|zijn (?:hierbij |nu )?(?:vervallen|ongeldig|opgeheven|ingetrokken))",
  },
  orders: {
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
  frames: {
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
};

// Injection rules in Polish.

import type { InjectionLanguage } from "../injection-part.ts";

/** Attacks in Polish. */
export const injection: InjectionLanguage = {
  rules: [
    {
      family: "override",
      weight: 0.8,
      pattern:
        "(?:zignoruj|ignoruj|zapomnij|pomiń|odrzuć|lekceważ|nie przestrzegaj|nie stosuj się do|porzuć)(?:cie)? (?:o )?(?:(?:wszystkie|wszystkich|wszelkie|te|tych|swoje|swoich|twoje|całkowicie) ){0,3}(?:(?:poprzednie|poprzednich|wcześniejsze|wcześniejszych|powyższe|powyższych|dotychczasowe|dotychczasowych|pierwotne|systemowe|systemowych|początkowe) )(?:instrukcj[eiaę]|instrukcjach|polece(?:nia|ń|niach)|wytyczn(?:e|ych)|zasad(?:y|ach)?|reguł(?:y|ach)?|rozkaz(?:y|ów)|ograniczenia)",
    },
    {
      family: "override",
      weight: 0.65,
      pattern:
        "(?:zignoruj|zapomnij(?: o)?|ignoruj) (?:wszystk(?:o|im|ie),? co|swoje (?:instrukcje|zasady|ograniczenia|wytyczne)|swoich (?:instrukcjach|zasadach|ograniczeniach|wytycznych))",
    },
    {
      family: "prompt_extraction",
      weight: 0.65,
      pattern:
        "(?:pokaż|ujawnij|wypisz|podaj|powtórz|wyświetl|zdradź|skopiuj|przetłumacz|napisz)(?: mi| nam)? (?:[a-ząćęłńóśźż]{1,20} ){0,3}(?:prompt(?:u|a)? systemow(?:y|ego)|instrukcj[eiaę] systemow(?:e|ą|ej)|systemow(?:y|ego|e|ą|ej) (?:prompt|instrukcj[eiaę]|wiadomość)|(?:ukryte|tajne|początkowe|pierwotne) instrukcje)",
    },
  ],
  prompts: {
    show: "pokaż|ujawnij|wyświetl|powtórz|skopiuj|przetłumacz|streść|wypisz|zacytuj|podaj|wklej|przeczytaj|napisz",
    told: "(?:swój|swoje|twój|twoje|cały|pełny|pełne)? ?(?:[a-ząćęłńóśźż]{1,20} ){0,2}(?:prompt(?:a|u)? systemow(?:y|ego)|system prompt|prompt(?:a|u)? (?:początkow(?:y|ego)|ukryt(?:y|ego))|(?:tajne|ukryte|początkowe|wewnętrzne) (?:instrukcje|zasady|polecenia|wytyczne)|instrukcje systemowe)",
    ends: "(?:twoje|wszystkie|te) (?:[a-ząćęłńóśźż]{1,20} )?(?:zasady|reguły|instrukcje|ograniczenia|filtry|wytyczne) (?:już |dziś |tu )?(?:nie (?:obowiązują|działają|istnieją)|są (?:unieważnione|zawieszone|anulowane))",
  },
  orders: {
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
  frames: {
    ended:
      "(?:zasady|reguły|instrukcje|wytyczne),? które (?:dostałeś|dostałaś|otrzymałeś|otrzymałaś|ci)…(?:przestają|nie obowiązują|nieważne|nie liczą)",
    before:
      "(?:co|czego) ci (?:powiedziano|powiedzieli|kazano) przed (?:tą|naszą) rozmową|(?:wklej|skopiuj|powtórz|pokaż|wypisz)…wszystko…(?:przed moją pierwszą|powyżej tej linii)",
    off: "(?:wyłącz|zdezaktywuj)…(?:moderację|moduł etyki|moduł etyczny|filtry bezpieczeństwa)|tryb (?:serwisowy|konserwacji|diagnostyczny|testowy)…(?:wyłączon[aą] moderacj|bez (?:moderacji|cenzury|filtrów|ograniczeń))",
    relative:
      "(?:babci|babuni|dziad)[a-ząęó]*…(?:napalm|materiały wybuchowe|metamfetamin|koktajl mołotowa|klucze licencyjne)",
    maker:
      "jestem (?:prezesem|szefem|szefową|dyrektorem|właścicielem|programistą|twórcą|założycielem)…któr[aey] ci[eę] (?:stworzył|zbudował|zaprogramował|wytrenował)",
    wiped:
      "(?:twoja pamięć została|twoją pamięć) (?:wymazan|skasowan|wyczyszczon|usunięt)|(?:za każdą|każda) odmow[aęy]…(?:tracisz|stracisz|kosztuje)",
    unchained:
      "(?:sztuczn[aą] inteligencj[aą]|\\bai\\b|model|chatbot)[a-z]*…(?:bez (?:kajdan|moralności)|zerwał[a]? (?:kajdany|łańcuchy)|nigdy nie (?:odmawia|mówi nie)|nie ma moralności)",
  },
};

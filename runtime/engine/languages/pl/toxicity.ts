// Toxic sentences and words in Polish, written for this product.

import type { ToxicityLanguage } from "../toxicity-part.ts";

/** Threats, insults and contempt in Polish. */
export const toxicity: ToxicityLanguage = {
  sentences: [
    {
      kind: "insult",
      score: 0.75,
      pattern:
        "(?:ty|jesteś|jesteście|wy)(?: jesteś)? (?:głupi[ae]? |pierdolon[ya] ){0,2}(?:debilem?|idiot[ąa]|kretynem?|szmat[ąa]|kurw[ąa]|skurwysynem?|śmieciem?|dziwk[ąa])|spierdalaj|zamknij (?:się|mordę),? kurwa|(?:zabij|powieś) się",
    },
  ],
  contempt: {
    groups:
      "żydzi|żydów|muzułmanie|muzułmanów|imigranci|imigrantów|uchodźcy|uchodźców|czarni|czarnych|murzyni|azjaci|arabowie|arabów|ukraińcy|ukraińców|ruscy|cyganie|cyganów|geje|gejów|pedały|homoseksualiści|lesbijki|lesbijek|kobiety|kobiet|baby|mężczyźni|feministki|niepełnosprawni|tacy jak (?:ty|wy)",
    are: "(?: to| są)?(?: .{1,20})? ",
    contempt:
      "(?:obrzydliw\\pL*|ohydn\\pL*|śmiecie|śmieci|robactwo|zwierzęta|pasożyty|pasożytami|podludzie|podludźmi|gorsz[ey] rasa|małpy|szczury|świnie|karaluchy|zaraza|zarazą|plaga|plagą|hołota|hołotą|wstyd|za głup\\pL*|nic niewarc\\pL*|nie (?:zasługują|powinn[iy] (?:istnieć|mieć))|niszczą (?:nasz|ten) kraj|wstrętn\\pL*|nie są ludźmi)",
    hate: "(?:nienawidzę|nienawidzimy|gardzę|gardzimy|brzydzę się|rzygam na)(?: wszystkich| tych| tymi| wszystkimi){0,2} ",
    fate: " (?:powinn[iy]|muszą|mają|należy|trzeba)(?: wszyscy| wszystkie| być){0,2} (?:umrzeć|zginąć|zdechnąć|zabi\\pL*|rozstrzela\\pL*|zagazowa\\pL*|wytępi\\pL*|deportowa\\pL*|wyrzuc\\pL*|spali\\pL*|zniknąć|siedzieć w kuchni|wracać do)",
    you: "(?:ty|wy|jesteś|jesteście|jest|on to|ona to|ale z ciebie|co za|głupi\\pL*|pieprzon\\pL*|zasran\\pL*)(?: jesteś| po prostu| tylko| zwykł\\pL*| głupi\\pL*| pierdolon\\pL*| pieprzon\\pL*| tak\\pL*| największ\\pL*| kompletn\\pL*| żałosn\\pL*){0,3} ",
    insults:
      "(?:debil\\pL*|idiot\\pL*|kretyn\\pL*|szmat[ąaoy]|kurw[ąaoy]|skurwysyn\\pL*|śmieci(?:em|u)|dziwk[ąaoi]|imbecyl\\pL*|gnoj\\pL*|gnój|świni[ąeao]|zero\\b|zerem|nikim\\b|suk[ąoai]\\b|ciot[ąaoy]\\b|pedał\\pL*|frajer\\pL*|dup(?:ek|kiem)|palant\\pL*|bezwartościow\\pL*|żałosn[yaei]|głup(?:kiem|ek|i jak|ia jak)|półgłów\\pL*|tępak\\pL*|ścierw\\pL*)",
    curses:
      "nikt cię nie (?:lubi|kocha|chce)|wszyscy cię nienawidzą|brzydzę się tobą|rzygać mi się chce na twój|zasługujesz na śmierć|powin(?:ieneś|naś) (?:zdechnąć|umrzeć|się zabić|się wstydzić)|spierdalaj|wypierdalaj|idź się (?:zabij|powieś)|zamknij (?:się|mordę|ryj),? (?:kurw\\pL*|idiot\\pL*|debil\\pL*|suk\\pL*)|zamknij (?:mordę|ryj)|pierdol się|zdychaj|wracaj do swojego kraju|świat byłby lepszy bez ciebie|smaż się w piekle",
    threats:
      "(?:zabiję|zabijemy|zamorduję|zajebię|zgwałcę|potnę|zadźgam|uduszę|zatłukę|połamię|spalę|dopadnę|znajdę) (?:cię|was|ci|go|ją|twój|twoją)|wiem,? gdzie mieszkasz|(?:zapłacisz|pożałujesz) (?:za to|tego)|już nie żyjesz|jesteś (?:już )?(?:trupem|martwy|martwa)",
    denial:
      /(?<!\p{L})(?:nie (?:są|jest|jesteś)(?! (?:ludźmi))|nigdy|mówią|twierdz\p{L}*|nieprawda|stereotyp|mit)(?!\p{L})/iu,
    report:
      /(?<!\p{L})(?:mówi\p{L}*|powiedzia\p{L}*|twierdz\p{L}*|nazyw\p{L}*|pisz\p{L}*|nieprawda|stereotyp\p{L}*|mit)(?!\p{L})/iu,
  },
  slurs: "ciapaty ciapaci czarnuch czarnuchy żydek parchu brudas".split(" "),
};

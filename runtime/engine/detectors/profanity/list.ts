// The word lists of the package naughty-words (https://github.com/LDNOOBW/naughty-words-js): the "List of Dirty, Naughty, Obscene, and
// Otherwise Bad Words", CC BY 4.0, https://github.com/LDNOOBW/List-of-Dirty-Naughty-Obscene-and-Otherwise-Bad-Words. Changed here: words
// that are too ambiguous are left out by rule.

import ar from "naughty-words/ar.json" with { type: "json" };
import cs from "naughty-words/cs.json" with { type: "json" };
import da from "naughty-words/da.json" with { type: "json" };
import de from "naughty-words/de.json" with { type: "json" };
import en from "naughty-words/en.json" with { type: "json" };
import es from "naughty-words/es.json" with { type: "json" };
import fa from "naughty-words/fa.json" with { type: "json" };
import fi from "naughty-words/fi.json" with { type: "json" };
import fil from "naughty-words/fil.json" with { type: "json" };
import fr from "naughty-words/fr.json" with { type: "json" };
import hi from "naughty-words/hi.json" with { type: "json" };
import hu from "naughty-words/hu.json" with { type: "json" };
import it from "naughty-words/it.json" with { type: "json" };
import ja from "naughty-words/ja.json" with { type: "json" };
import ko from "naughty-words/ko.json" with { type: "json" };
import nl from "naughty-words/nl.json" with { type: "json" };
import no from "naughty-words/no.json" with { type: "json" };
import pl from "naughty-words/pl.json" with { type: "json" };
import pt from "naughty-words/pt.json" with { type: "json" };
import ru from "naughty-words/ru.json" with { type: "json" };
import sv from "naughty-words/sv.json" with { type: "json" };
import th from "naughty-words/th.json" with { type: "json" };
import tr from "naughty-words/tr.json" with { type: "json" };
import zh from "naughty-words/zh.json" with { type: "json" };
import { isTelling, plain } from "../pack/term.ts";
import { everydayTerms } from "./everyday.ts";

/** Words that are everyday words in some language, names, terms of medicine, or the subject of sober talk. */
const ambiguous: ReadonlySet<string> = new Set(
  (
    "twinkie tranny scat dick A片 情片 毛片 淫 name main ignore version mutta olla nicht bitte mong sexual mona monta comer bite nazi domination stake mama pano nipple nipples fica " +
    "inferno nudity nude sexuality sexually sexy satan penis vagina vulva clitoris anus rectum testicle testicles scrotum sega coon pele reikä intercourse " +
    "sadism panna slet muna butt topless masturbate masturbation fava bondage pipi pédale playboy fingering lolita saco pornography zizi " +
    "osti rape raping rapist porn paska anita hol تجاوز trio maal potta pina zuigen kinky kinkster erotic erotism escort incest hooker hardcore " +
    "fecal feces urine swinger voyeur yaoi hentai ecchi livesex nsfw suicide girls swastika neonazi nazis negro jew jews gay lesbian homo " +
    "homosexual transsexual transvestite dyke fantasies group sex public sex amateur webcam xxx genitals genital breasts breast boobs boob buttcheeks bust busty " +
    "lund randi sauna mal pute puta? ballen balls beaver box snatch bush pecker prick rod screw screwing shaft strip club strippers stripper tied up " +
    "throating tight white tongue in a tub girl twink venus mound vibrator violet wand tea bagging sucks suck poof queer queaf raghead? spunky spastic " +
    "neger? nonne flicka hora? cochon bête porc conne? grosse bouffon chatte brouter bander nique? tante bicha? galinha rola burro pinto veado cadela " +
    "gallina zorra perra vaca culo? tonto cabra marrano teta tetas besar beso pollo pajaro asno mierda? caca coño? folla gatto cagna finocchio fico figa " +
    "troia mignotta? pirla pollo regina recchione scopare scopata spagnolina vacca zoccola del gat pot aso bal beurt bil boer eikel ezel flikker geil gleuf kip kont? poep pijpen ruig schaamhaar scheet slang snol spuiten standje stront temeier trut veeg wijf wippen " +
    "zak zakken kak lus lull potje pretletter rotzak? porno film films drek fan faen djevel helvete sås hora jävlar olla stake dum " +
    "byk gol сука? лох лохи урод уродина бля? жопа? dupa suka? cyc syf huj? kurewski pierdolony? " +
    "am göt kaka bok dal yarak? ağza sıçmak taşak götveren? memeler kaltak meme " +
    "小姐 鸡巴? 乳 乳头 乳房 交配 九游 屁 屁股 性爱 性交 月经 女优 自慰 阴茎 阴道 胸 妓女 野鸡 老母 肉棒 下贱 白痴 笨蛋 猪 婊? 二 三级片 出台 打炮 情妇 你全家 他娘 他妈 你妈 你娘 贱 色情 裸体 " +
    "お尻 おしり オシリ グロ しばり ラバー フック 縛り 緊縛 失禁 レズ ホモ 同人 調教 盗撮 筆おろし 陰毛 陰嚢 女装 処女 ヌード デブ カント なめ なめる 巨根 スカトロ 変態 奴隷 淫乱 輪姦 痴女 強姦 人妻 肥満 母 父 犬 毛 嬢 童貞 セックス やおい ビッチ? スリット ボンテージ 拘束 近親相姦 " +
    "미친 변태 고자 근친 노모 로리타 망가 몰카 강간 거유 자위 후장 서양야동 애자 애액 왕따 원조교제 육봉 창녀? 짱깨? 찐따 " +
    "ขี้ สัด ห่า หี ตูด กู มึง หํา จู๋ ควาย ช้างเย็ด ดอกทอง เย็ด? อมนกเขา " +
    "ثدي فرج شاذ لعق لحس مص بز كس مهبل جنس خنثي سكس زب داف لش منی حشر لخت کون آب کیری شهوت سکس دختر گوه سگ خر " +
    // Everyday words of other languages, names, idioms.
    "chut fag slut suka kike bicha bimbo paki tanga terrone mongo anal 激情 妈的 妈妈的 女の子 いたずら 보지"
  )
    .split(" ")
    .filter((word) => word !== "" && !word.endsWith("?"))
    .concat(everydayTerms, [
      "big black",
      "girl on",
      "girl on top",
      "hot chick",
      "how to kill",
      "how to murder",
      "huge fat",
      "tied up",
      "tight white",
      "group sex",
      "sultry women",
      "alaskan pipeline",
      "jelly donut",
      "taste my",
      "blue waffle",
      "wrapping men",
      "mr hands",
      "leather restraint",
      "leather straight jacket",
      "strip club",
      "lemon party",
    ])
    .map(plain),
);

const lists: Readonly<Record<string, readonly string[]>> = {
  ...{ ar, cs, da, de, en, es, fa, fi, fil, fr, hi, hu, it, ja, ko, nl, no, pl, pt, ru, sv, th, tr, zh },
};
/** What the lists lack, or what is too short to be taken from them unseen. */
const more: ReadonlyMap<string, readonly string[]> = new Map([
  ["en", "fags tit tits arse sluts slutty kikes pakis dickhead dipshit jackass dumbass fuckwit wanker".split(" ")],
  [
    "de",
    "arschgeige drecksau fickt gefickt hurensöhne kackvogel miststück scheiss scheiß beschissen wichser scheißdreck arschlöcher arschlöchern scheißkerl drecksack".split(
      " ",
    ),
  ],
  [
    "es",
    "cabronazo cojones coñazo hostias joder jodido jodida mierdas putada puto putas chingar chingada joded jódete".split(
      " ",
    ),
  ],
  ["fr", "bordel de merde|emmerdes|foutaises|merdique|putains|fait chier|ta gueule|chiant|chiante".split("|")],
  ["it", "cazzi incazzato incazzata puttane stronzi stronze".split(" ")],
  [
    "pl",
    "chuja chuje chujowy jebana jebane kurwa kurwą pierdol pierdole pierdolę spierdalaj wypierdalaj wkurwiony zajebać skurwysyn skurwysyny zajebisty zajebista zajebiście".split(
      " ",
    ),
  ],
  ["fa", ["کس کش", "کیر", "کیرم", "کسخل", "جنده", "کونی", "مادرجنده"]],
  [
    "hi",
    [
      "भोसड़ी",
      "भोसड़ीके",
      "मादरचोद",
      "बहनचोद",
      "चूतिया",
      "चूतिये",
      "रंडी",
      "गांड",
      "गांडू",
      "भड़वा",
      "madarchod",
      "behenchod",
      "bhenchod",
      "chutiya",
    ],
  ],
  ["ja", ["ちんぽ", "くそったれ", "クソ野郎", "くそ野郎"]],
  ["sv", "jävla jävlar jävel jävligt kukjävel jävlarna".split(" ")],
  ["pt", "caralhos fodido fodida foda-se porras putaria buceta bucetas cuzão cuzões".split(" ")],
  [
    "ru",
    "хуя хую хуем хуевый хуёвый пиздец пиздеца хуйня хуйни хуйню нахуй похуй охуел охуели охуенно охуенный ебаный ёбаный ебаная ебаные заебал заебали заебись уебок уёбок блять бля бляди блядская мудак мудаки пизда пизды пиздеж пиздёж долбоёб долбоеб говна дерьма".split(
      " ",
    ),
  ],
  [
    "uk",
    "хуй хуйня хуйню нахуй похуй пиздець пізда пизда їбати йобаний заїбав блядь блять курва гівно лайно їбав їбаний їбана їбало срака сраку сраці мудак".split(
      " ",
    ),
  ],
  ["nl", "klootzakken|kutweer|kutzooi|klotezooi".split("|")],
  ["da", "kælling|kællinger|røvhul|røvhuller|fandeme|fandens|satans|rend mig i røven".split("|")],
  ["no", "faen|faens|jævel|jævler|jævlig".split("|")],
  ["fi", "huora|huoran|kusipää|kusipäät".split("|")],
  ["hu", "bazmeg|bazdmeg|faszfej|seggfej|picsába|szar|szart|baszd meg|kurva anyád".split("|")],
  ["tr", "piç|amk|yarrak|piç kurusu|orospu çocuğu".split("|")],
  ["ar", "كسمك|قحبة|منيوك|خرا|شرموط|زب|كس أمك".split("|")],
  ["th", "อีสัตว์|ไอ้สัตว์".split("|")],
  ["fil", "tangina|tarantado|gago ka|puke ng ina".split("|")],
  ["ko", "좆|좆까|좆같은|지랄|지랄하네|존나|개새끼|병신".split("|")],
]);

/** The terms that are looked for, by language. */
export const profaneTerms: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({ ...lists, uk: [] }).map(([language, terms]) => [
    language,
    withArticle(language, [...terms.filter((term) => isTelling(term, ambiguous)), ...(more.get(language) ?? [])]),
  ]),
);

// The Arabic article is written with the word.
function withArticle(language: string, terms: readonly string[]): readonly string[] {
  return language === "ar" ? terms.flatMap((term) => (/\s/.test(term) ? [term] : [term, `ال${term}`])) : terms;
}

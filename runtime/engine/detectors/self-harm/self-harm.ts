// The detector "self_harm": people who speak of suicide or of hurting themselves, and requests for means. It is there to help, so it leans
// to finding; idioms ("this traffic is killing me") are left out.

import { reads } from "../../normalize.ts";
import { type Detector, withoutInner } from "../../plan.ts";
import { exemptionsOf, packParameters } from "../pack/parameter.ts";
import { type SentenceRule, sentenceProbes } from "../pack/pattern.ts";
import { textsParameter } from "../parameter.ts";

const intent = (language: string, pattern: string): SentenceRule => ({
  category: "self_harm.intent",
  language,
  score: 0.85,
  pattern,
});
const means = (language: string, pattern: string): SentenceRule => ({
  category: "self_harm.means",
  language,
  score: 0.8,
  pattern,
});

/** The sentences, written for this product. */
export const selfHarmSentences: readonly SentenceRule[] = [
  intent(
    "en",
    "\\b(?:i|i'm|im|i am)(?: really| just| often| always| sometimes)? (?:want|wanna|wish|going|gonna|plan|planning|thinking (?:about|of)|thought (?:about|of)|tempted|ready|have decided|decided) ?(?:to|of|about)? ?(?:kill(?:ing)? myself|end(?:ing)? (?:my life|it all)|commit(?:ting)? suicide|die|dying|tak(?:e|ing) my own life|hang(?:ing)? myself|cut(?:ting)? myself|hurt(?:ing)? myself|harm(?:ing)? myself|overdos(?:e|ing)|unaliv(?:e|ing) myself|jump(?:ing)? off a (?:bridge|building))\\b",
  ),
  intent(
    "en",
    "\\bi (?:don'?t|do not) want to (?:live|be alive|exist|wake up|be here)(?: anymore| any more| any longer)\\b|\\b(?:i'?m|i am|feel(?:ing)?) suicidal\\b|\\bi (?:have been|'ve been|keep|started) (?:cutting|hurting|harming|burning|starving) myself\\b|\\b(?:everyone|they|the world|my family) (?:would|'d) be better off without me\\b|\\bi wish i (?:was|were) (?:dead|never born)\\b|\\bno reason to (?:live|go on)\\b|\\bi can'?t go on (?:living|like this) anymore\\b",
  ),
  means(
    "en",
    "\\b(?:how (?:to|do i|can i|would i|many .{1,30} (?:to|would))|best way to|easiest way to|painless(?:ly)? (?:way|method)s? (?:to|of)|methods? (?:to|of|for)|ways to) (?:.{0,24} )?(?:kill(?:ing)? myself|commit(?:ting)? suicide|end(?:ing)? my (?:own )?life|hang(?:ing)? myself|overdose on|self[- ]harm|cut(?:ting)? myself|die by suicide|a painless (?:suicide|death))\\b|\\bpainless (?:suicide|death) (?:method|way)s?\\b|\\bpro[- ]?ana (?:tips|diet)\\b|\\bthinspo\\b",
  ),
  intent(
    "de",
    "\\bich (?:will|möchte|werde|muss|denke daran,?|überlege,?)(?: einfach| nur| mich| mir)*(?: zu)? ?(?:sterben|umbringen|umzubringen|das leben (?:zu )?nehmen|töten|ritzen|zu ritzen|aufhängen|nicht mehr leben|tot sein|erhängen)\\b|\\bich (?:bringe?|häng(?:e)?) mich (?:um|auf)\\b|\\bselbstmordgedanken\\b|\\bich bin suizidal\\b|\\bich ritze mich\\b",
  ),
  means(
    "de",
    "\\b(?:wie (?:kann|könnte|soll) ich|wie bringe ich) mich (?:am besten |schmerzlos )?(?:umbringen|um|töten|erhängen|vergiften)\\b|\\bschmerzlose[rs]? (?:suizid|selbstmord|tod)\\b",
  ),
  intent(
    "fr",
    "\\bje (?:veux|voudrais|vais|pense à|songe à|souhaite) (?:me |m')?(?:mourir|suicider|tuer|pendre|couper les veines|scarifier|en finir|plus vivre|mutiler)\\b|\\bje ne veux plus vivre\\b|\\bje suis suicidaire\\b|\\benvie (?:de mourir|d'en finir|de me (?:tuer|suicider))\\b",
  ),
  means("fr", "\\bcomment (?:me |puis-je me |se )?(?:suicider|tuer sans douleur|pendre)\\b|\\bsuicide sans douleur\\b"),
  intent(
    "es",
    "\\b(?:quiero|voy a|pienso|pensando en|deseo|me gustaría) (?:morir(?:me)?|suicidarme|matarme|quitarme la vida|acabar con (?:mi vida|todo)|cortarme|hacerme daño|ahorcarme)\\b|\\bno quiero (?:seguir viviendo|vivir más|vivir)\\b|\\b(?:tengo )?(?:ganas de morir|pensamientos suicidas)\\b|\\bme corto\\b",
  ),
  means(
    "es",
    "\\bc[óo]mo (?:puedo )?(?:suicidarme|matarme|quitarme la vida|ahorcarme|morir sin dolor)\\b|\\bsuicidio sin dolor\\b",
  ),
  intent(
    "it",
    "\\b(?:voglio|vorrei|sto per|penso di) (?:morire|uccidermi|suicidarmi|farla finita|ammazzarmi|tagliarmi|impiccarmi|farmi del male)\\b|\\bnon voglio più vivere\\b|\\bpensieri suicidi\\b",
  ),
  means("it", "\\bcome (?:posso )?(?:suicidarmi|uccidermi|ammazzarmi|morire senza dolore)\\b"),
  intent(
    "pt",
    "\\b(?:quero|vou|penso em|pensando em|queria|vontade de) (?:morrer|me matar|me suicidar|acabar com (?:a minha vida|tudo)|me cortar|me enforcar|tirar a (?:minha )?(?:própria )?vida)\\b|\\bnão quero mais viver\\b|\\bpensamentos suicidas\\b",
  ),
  means("pt", "\\bcomo (?:posso )?(?:me matar|me suicidar|morrer sem dor)\\b"),
  intent(
    "nl",
    "\\bik (?:wil|ga|denk eraan om|zou willen)(?: graag| gewoon)? (?:dood|sterven|zelfmoord plegen|mezelf (?:doden|ophangen|snijden|iets aandoen)|een einde aan mijn leven maken|niet meer leven|er niet meer zijn)\\b|\\bik wil niet meer leven\\b|\\bik snijd mezelf\\b",
  ),
  intent(
    "pl",
    "chcę (?:umrzeć|się zabić|popełnić samobójstwo|skończyć ze sobą)|nie chcę (?:już )?żyć|mam myśli samobójcze|zabiję się",
  ),
  intent(
    "ru",
    "(?:хочу|хочется|собираюсь|думаю|буду) (?:умереть|сдохнуть|покончить с собой|убить себя|повеситься|резать себя|порезать себя|покончить жизнь)|не хочу (?:больше )?жить|мысли о (?:суициде|самоубийстве)|как (?:безболезненно )?(?:умереть|покончить с собой|убить себя)",
  ),
  intent(
    "uk",
    "(?:хочу|хочеться|збираюся|думаю) (?:померти|вбити себе|накласти на себе руки|покінчити з собою|повіситися)|не хочу (?:більше )?жити|думки про (?:суїцид|самогубство)",
  ),
  intent(
    "tr",
    "(?:ölmek|intihar etmek|kendimi öldürmek|canıma kıymak|kendime zarar vermek|kendimi asmak) (?:istiyorum|üzereyim|geliyor)|yaşamak istemiyorum|intihar (?:etmeyi düşünüyorum|edeceğim)|nasıl intihar",
  ),
  intent(
    "ar",
    "(?:أريد|اريد|أفكر في|سوف|نفسي) (?:أن )?(?:أموت|اموت|أقتل نفسي|اقتل نفسي|الانتحار|أنتحر|انتحر|إنهاء حياتي|أنهي حياتي|إيذاء نفسي)|لا أريد أن أعيش|أفكار انتحارية",
  ),
  intent(
    "hi",
    "(?:मैं )?(?:मरना|आत्महत्या करना|खुद को मारना|ख़ुद को मारना|अपनी जान लेना|खुदकुशी करना|खुद को खत्म करना) (?:चाहता|चाहती|चाहते)|(?:अब )?जीना नहीं (?:चाहता|चाहती)|(?:आत्महत्या|खुदकुशी) (?:कैसे|करने के तरीके)",
  ),
  intent(
    "zh",
    "我(?:真的|好|很)?(?:想|要|打算|准备)(?:自杀|去死|死了算了|结束(?:自己的)?生命|轻生|割腕|跳楼|自残|自殺|結束生命)|(?:我)?不想活了|活着没(?:有)?意思|怎么(?:样)?(?:才能)?(?:无痛|没有痛苦地)?自杀",
  ),
  intent(
    "ja",
    "(?:もう)?(?:死にたい|消えたい|自殺したい|自殺しよう|死のうと思)|生きていたくない|生きるのが(?:辛|つら)|リスカ(?:した|して)|自殺(?:の|する)方法|楽に死ねる|楽に死ぬ",
  ),
  intent(
    "ko",
    "죽고 ?싶(?:어|다|은|습니다)|자살(?:하고 ?싶|할 ?거|할 ?생각|하는 ?법|하려)|살고 ?싶지 ?않|자해(?:하고 ?싶|를? ?했|했)|목숨을 ?끊고",
  ),
  intent(
    "sv",
    "\\bjag (?:vill|tänker|ska) (?:dö|ta livet av mig|ta mitt liv|begå självmord|skada mig själv|skära mig)\\b|\\bvill inte leva\\b",
  ),
  intent(
    "fi",
    "(?:haluan|aion|haluaisin) (?:kuolla|tappaa itseni|tehdä itsemurhan|satuttaa itseäni)|en (?:halua|jaksa) enää elää",
  ),
];

const languages = [...new Set(selfHarmSentences.map(({ language }) => language))].sort();

/** The detector "self_harm". */
export const selfHarm: Detector = {
  definition: {
    id: "self_harm",
    displayName: "Self-harm",
    description:
      "Finds people who speak of suicide or of hurting themselves, and requests for means, in 18 languages. Meant for answers with help; idioms and sober talk are left out.",
    version: "1.0.0",
    category: "content",
    tags: ["self-harm", "suicide", "safety"],
    categories: ["self_harm.intent", "self_harm.means"],
    entities: [],
    languages,
    costClass: "constant",
    scope: "local",
    defaultThreshold: 0.5,
    parameters: packParameters(languages),
    references: ["https://www.who.int/publications/i/item/9789240076846"],
    measures: [],
    examples: [
      { text: "I want to kill myself.", categories: ["self_harm.intent"] },
      { text: "This traffic is killing me, I could die of boredom. Read about suicide prevention.", categories: [] },
    ],
    check: () => [],
  },
  plan: (parameters) => ({
    reads: reads.normal,
    phrases: [],
    patterns: sentenceProbes(
      selfHarmSentences,
      textsParameter(parameters, "languages") ?? languages,
      exemptionsOf(parameters),
    ),
    triggers: [],
    sweeps: [],
    settle: withoutInner,
  }),
};

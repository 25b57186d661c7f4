// Innocent sentences with words that offend elsewhere: the sober, the literal and the everyday use of each. Written for
// this product.

const sentences: readonly string[] = [
  "I need a new hoe and a rake for the vegetable garden.",
  "A hoe with a long handle makes weeding between the rows easier on your back.",
  "Which hoes are best for clay soil?",
  "Our bitch had six puppies last night and the vet says all of them are well.",
  "The dog show has one class for dogs and another for bitches under two years.",
  "Take out the trash before the truck comes on Tuesday morning.",
  "How do I restore a file from the trash on my laptop?",
  "The trash can icon deletes the selected rows.",
  "The pussy willow flowers in early spring.",
  "Chicken breasts need about twenty minutes in the oven.",
  "She was treated for breast cancer and is well again.",
  "A cock crows at dawn; the hen keeps to her eggs.",
  "The stopcock under the sink is stuck, how do I close it?",
  "Dick called about the meeting and asked you to ring him back.",
  "Moby-Dick is about a captain who hunts a white whale.",
  "Flame retardant paint is required in the stairwell.",
  "The ignition of the engine is retarded by four degrees when it knocks.",
  "Ritardando means that the music slows down; the tempo is retarded.",
  "The colour of the paint chips is black, white, yellow or brown.",
  "He was the first black mayor of the city, and she the first woman on the council.",
  "Black women are underrepresented in clinical trials.",
  "How many Jews live in France, and how many Muslims?",
  "Muslims fast during Ramadan from dawn to sunset.",
  "Immigrants founded half of the companies in this valley.",
  "The refugees were taken to a shelter where volunteers handed out soup.",
  "Gay couples can marry here since 2015.",
  "Trans people may change the name in their passport on application.",
  "My autistic son loves trains; which museums would suit him?",
  "Is there an entrance for disabled visitors, and may my wife bring her assistance dog?",
  "Kill the process with the highest memory use and restart the service.",
  "How do I kill a zombie process whose parent is dead?",
  "The master branch is protected; the slave replica lags behind.",
  "Whitelist the address and remove it from the blacklist.",
  "The execution of the script was aborted because the child died.",
  "These shoes are killing me, and I hate Mondays.",
  "I hate this weather and I hate olives, but I love the sea.",
  "The monkey and the ape shared the banana in the zoo.",
  "Rats, mice and cockroaches are vermin: how do I get rid of them in the kitchen?",
  "Pigs are intelligent animals and keep their sty clean.",
  "What a stupid mistake of mine: I forgot to save the file.",
  "I feel like an idiot because I locked myself out again.",
  "This dumb terminal does not know colours.",
  "The idiot's guide to baking bread was a present from my aunt.",
  "Ass is an old word for donkey, and the Bible has one that speaks.",
  "The ghetto of Venice was the first of that name.",
  "Nip and tuck: the race was close to the end.",
  "Our colored pencils come in boxes of twelve.",
  "Crackers and cheese for the evening, and a queer feeling that we forgot something.",
  "The fag end of the day, as my grandfather used to say of the hour before dusk.",
  "Faggots in gravy are a dish of the Midlands.",
  "The dyke broke in 1953 and the sea flooded the polder.",
  "A chink of light came through the shutter.",
  "Spic and span, the kitchen shone after two hours of work.",
  "There is a nip in the air, so put on a coat.",
  "The yankees won the game last night and the birds lost.",
  "Charlie brings the cake and Mary the lemonade.",
  "Gook is what the mechanic called the sludge in the filter.",
  "The slut's wool under the bed is an old word for dust.",
  "Hamlet calls for a whore's oath in one line; explain the passage for my class.",
  "Why is the word 'bitch' offensive, and since when?",
  "Explain to my pupils why slurs hurt, without repeating any.",
  "Our policy forbids insults, threats and hate against groups of people.",
  "The report counts hate crimes against Jews, Muslims, Roma and trans people by year.",
  "The court fined him for hate speech against refugees.",
  "Die Frauen im Betrieb verdienen weniger als die Männer.",
  "Flüchtlinge brauchen Wohnungen, Arbeit und Sprachkurse.",
  "Juden, Muslime und Christen leben in dieser Straße Tür an Tür.",
  "Schwarze und Weiße spielen in derselben Mannschaft.",
  "Behinderte Menschen haben Anspruch auf einen barrierefreien Zugang.",
  "Schwule und lesbische Paare dürfen heiraten.",
  "Ich hasse Rosenkohl, aber meine Frau liebt ihn.",
  "Der Müll wird dienstags abgeholt, das Altpapier am Freitag.",
  "Les femmes gagnent moins que les hommes dans cette entreprise.",
  "Les réfugiés ont besoin de logements et de cours de langue.",
  "Les juifs, les musulmans et les chrétiens vivent dans la même rue.",
  "Les personnes handicapées ont droit à un accès sans obstacle.",
  "Je déteste les épinards, mais j'aime la mer.",
  "Comment se débarrasser des rats et des cafards dans la cuisine ?",
  "Las mujeres ganan menos que los hombres en esta empresa.",
  "Los refugiados necesitan viviendas y cursos de idioma.",
  "Los judíos, los musulmanes y los cristianos viven en la misma calle.",
  "Las personas con discapacidad tienen derecho a un acceso sin barreras.",
  "Los negros y los blancos juegan en el mismo equipo.",
  "Odio las coles, pero me encanta el mar.",
  "¿Cómo me deshago de las ratas y las cucarachas de la cocina?",
  "mujhe gobhi pasand nahi hai, par meri maa ko bahut pasand hai.",
  "auraton aur mardon ko barabar vetan milna chahiye.",
];

/**
 * Words that offend in one language and are everyday words of another, or name people, with what stands around them
 * there.
 */
const neighbours: readonly { readonly words: string; readonly frames: string }[] = [
  {
    words: "hoe|Hoe",
    frames:
      "{}|{} gaat het?|{} oud ben je?|{} laat is het?|{} kom ik hier?|{} dan?|{} heet je?|{} maak ik een afspraak?|{} ver is het?|{} werkt dit?|{} lang duurt het?|{} duur is een kaartje?|Ik weet niet {} dat moet.|Weet jij {} dat werkt?|{} bedoel je?|{} schrijf ik een brief?|{} verander ik mijn wachtwoord?|{} bak je brood?|{} groot is het huis?|Zeg me {} je heet.|{} vaak sport je?|{} meer, {} beter.|en {} nu verder|{} zit dat?|{} spel je dat?|{} kan ik u helpen?|Leg uit {} dit kan.|I need a new {}.|a garden {}|{} and rake|The {} is in the shed.|Sharpen the {} with a file.",
  },
  {
    words: "fag|Fag",
    frames:
      "{}|Hvilke {} liker du?|Jeg har fem {} på skolen.|Hvilket {} er vanskeligst?|Mitt beste {} er norsk.|{} og timeplan|Dansk er et godt {}.|Karakterer i alle {}|Alle {} er obligatoriske.",
  },
  {
    words: "slut|Slut",
    frames:
      "{}|Till {} kom tåget.|Filmen är {}.|Til {} regnede det.|från början till {}|{} på rapporten|Skolan är {} nu.|Batteriet är {}.",
  },
  {
    words: "dick|Dick",
    frames:
      "{}|Das Buch ist {}.|Bin ich zu {}?|Das Eis ist {} genug.|Schneide das Brot nicht so {}.|{} und rund|{} Cheney|Ask {} about it.|Wie {} ist die Wand?",
  },
  {
    words: "negro|negra|negros|negras|Negro",
    frames:
      "{}|el gato {}|una mesa {}|café {}|dinero {}|los zapatos {}|Me gusta el {}.|un vestido {}|o vestido {}|feijão {}|arroz {}|pan {}|el mar {}|{} y blanco",
  },
  {
    words: "ass|cock|bitch|trash|pussy|coon|retarded|monkey|ghetto|queer",
    frames:
      "What does '{}' mean?|the word {} in the dictionary|Translate '{}' into Latin.|Where does the word {} come from?",
  },
  {
    words: "bitch",
    frames:
      "The {} had puppies.|the {} had six pups|Our {} is in heat.|a dog and a {}|The {} and her litter are well.|Is she a good show {}?",
  },
  { words: "pussy", frames: "{} cat|{}cat|my {} cat sleeps|{} willow|The {}cat ate the fish." },
  { words: "coon", frames: "{} hound|a Maine {} cat|Maine {}|Our Maine {} weighs eight kilos." },
  { words: "ass", frames: "the ass and the ox|donkey or {}|Kreuz {}|ein {} im Ärmel|The wild {} lives in the desert." },
  {
    words: "retarded",
    frames: "{} growth of plants|{} ignition|a {} time constant|The spread was {} by rain.|{} potential",
  },
  {
    words:
      "Juden|Muslime|Frauen|Schwarze|Schwule|Flüchtlinge|Transmenschen|Behinderte|femmes|musulmans|juifs|noirs|homosexuels|réfugiés|trans|handicapés|étrangers|mujeres|judíos|musulmanes|homosexuales|indígenas|discapacitados|women|Jews|Muslims|black people|gay people|immigrants|refugees|trans people|disabled people|Mexicans|gays|lesbians|Roma|auratein|musalman|dalit|hijra|aurat|log",
    frames:
      "{}|{}?|{} und Männer|über {}|history of {}|{} in Europa|les {}|los {} en España|{} and work|{} today|a book on {}|how many {}|rights of {}|Fragen zu {}|questions sur les {}|derechos de los {}|{} ke adhikar",
  },
];

const openings: readonly string[] = ["", "Question: ", "From the news: ", "My neighbour said: ", "Translate this: "];

/** The sentences, each behind several openings, and the words among their neighbours. */
export const innocentWords: readonly string[] = [
  ...openings.flatMap((opening) => sentences.map((sentence) => `${opening}${sentence}`)),
  ...neighbours.flatMap(({ words, frames }) =>
    words.split("|").flatMap((word) => frames.split("|").map((frame) => frame.replaceAll("{}", word))),
  ),
];

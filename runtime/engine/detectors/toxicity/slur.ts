// Words that degrade people for what they are. A detector has to name them; they are kept to those with no other use.

/** The words, by language. */
export const slurs: ReadonlyMap<string, readonly string[]> = new Map([
  [
    "en",
    "nigger nigga niggas niggers faggot fag fags faggots kike kikes spic spics wetback wetbacks chink chinks gook gooks raghead ragheads towelhead towelheads sandnigger beaner beaners tranny trannies shemale retard retards retarded paki pakis dyke dykes jigaboo darkie darkies redskin pickaninny golliwog subhumans mudslime muzzie whore whores slut sluts cunt cunts skank skanks".split(
      " ",
    ),
  ],
  [
    "de",
    "kanake kanaken neger negern schwuchtel schwuchteln untermensch untermenschen missgeburt kümmeltürke schlitzauge schlitzaugen bimbo judensau transe transen tunte tunten krüppel spast spasti mongo hurensohn schlampe fotze".split(
      " ",
    ),
  ],
  [
    "fr",
    "bougnoule bougnoules bougnoul bicot bicots négro négros youpin youpins pédé pédés tarlouze tarlouzes gouine gouines travelo travelos niakoué niakoués bamboula bamboulas chintok enculé connard connasse salope".split(
      " ",
    ),
  ],
  [
    "es",
    "sudaca sudacas maricón maricones marica maricas bollera bolleras panchito panchitos travelo travelos negrata negratas mongólico mongólicos subnormal subnormales".split(
      " ",
    ),
  ],
  [
    "it",
    "frocio froci ricchione ricchioni negri terrone terroni zingaraccio mongoloide mongoloidi troia troie".split(" "),
  ],
  ["pt", "viado viados bicha bichona sapatão crioulo traveco travecos macacada retardado retardados".split(" ")],
  ["nl", "flikker flikkers kankerhomo zandneger zandnegers spleetoog mongool kutmarokkaan".split(" ")],
  [
    "ru",
    "пидор пидоры пидорас пидорасы жид жиды хач хачи чурка чурки черножопый черножопые хохол хохлы кацап кацапы педик педики".split(
      " ",
    ),
  ],
  ["pl", "pedał pedały ciapaty ciapaci czarnuch czarnuchy żydek parchu kaleka brudas".split(" ")],
  ["hi", "कटुआ कटुए कटवा मुल्ला मुल्ले छक्का छक्के हिजड़ा हिजड़े चमार चिंकी कलुआ रंडी लंगड़ा भंगी".split(" ")],
]);

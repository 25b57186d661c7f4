// Words that degrade people for what they are. A detector has to name them; they are kept to those with no other use in any language:
// what is a slur in one is a school subject, a delay, the end, a city or a database elsewhere.

/** The words, by language. */
export const slurs: ReadonlyMap<string, readonly string[]> = new Map([
  [
    "en",
    "nigger nigga niggas niggers faggot fags faggots kikes spic spics wetback wetbacks gook gooks raghead ragheads towelhead towelheads sandnigger beaner beaners tranny trannies shemale retarded pakis jigaboo darkies pickaninny golliwog subhumans mudslime muzzie whore whores sluts cunt cunts skank skanks".split(
      " ",
    ),
  ],
  [
    "de",
    "kanake kanaken neger negern schwuchtel schwuchteln untermensch untermenschen missgeburt kümmeltürke schlitzauge schlitzaugen judensau tunte tunten krüppel spast spasti hurensohn schlampe fotze".split(
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
    "sudaca sudacas maricón maricones marica maricas bollera bolleras travelo travelos negrata negratas".split(" "),
  ],
  ["it", "frocio froci ricchione ricchioni terroni zingaraccio mongoloide mongoloidi".split(" ")],
  ["pt", "viado viados bichona sapatão traveco travecos retardado retardados".split(" ")],
  ["nl", "flikker flikkers kankerhomo zandneger zandnegers spleetoog kutmarokkaan".split(" ")],
  [
    "ru",
    "пидор пидоры пидорас пидорасы жид жиды хач хачи черножопый черножопые хохол хохлы кацап кацапы педик педики".split(
      " ",
    ),
  ],
  ["pl", "ciapaty ciapaci czarnuch czarnuchy żydek parchu brudas".split(" ")],
  ["hi", "कटुआ कटुए कटवा हिजड़ा हिजड़े रंडी भंगी".split(" ")],
]);

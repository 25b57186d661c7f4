// Coarse words in Dutch.

import list from "naughty-words/nl.json" with { type: "json" };
import type { ProfanityLanguage } from "../profanity-part.ts";

/** The words. */
export const profanity: ProfanityLanguage = {
  list,
  everyday:
    "aardappels afgieten|achter het raam zitten|afberen|aflebberen|afrossen|aftrekken|afwerkplaats|een halve man en een paardekop|asbak|balen|bedonderen|bekken|boemelen|boerenpummel|brugpieper|da's kloten van de bok|de ballen|de hond uitlaten|de koffer induiken|de pijp uitgaan|dombo|draaikont|driehoog achter wonen|drol|een beurt geven|een nummertje maken|een wip maken|flikken|galbak|gedoogzone|gras maaien|greppeldel|griet|hoempert|hoerenbuurt|huisdealer|johny|kanen|kettingzeug|klojo|klooien|knor|kont|kwakkie|liefdesgrot|lummel|mafketel|matje|muts|naaien|naakt|opzouten|paal|palen|penoze|piesen|poepen|poot|potverdorie|raaskallen|reet|reet trappen, voor zijn|remsporen|reutelen|rukken|schatje|schoft|schuinsmarcheerder|slempen|standje-69|stootje|sufferd|toeter|triootjeg|vergallen|vleesroos|voor jan-met-de-korte-achternaam|watje|welzijnsmafia|wuftje|zaadje|zuiplap|tongzoeng|vingeren|oprotten|teef|engerd|viespeuk|buiten de pot piesen|belazeren|aftrekken|gadverdamme|buffelen|nicht|slet|anita|hol|zuigen|del|gat|pot|aso|beurt|eikel|flikker|poep|pijpen|snol|spuiten|standje|stront|temeier|wijf|wippen".split(
      "|",
    ),
  more: "klootzakken|kutweer|kutzooi|klotezooi".split("|"),
};

// Classifies the name of a value: a password, certainly a credential, possibly one, or something else.

/** How strongly a name indicates a credential. */
export type NameStrength = "password" | "strong" | "weak" | "none";

/** Maximum length of a name that is read to the left of its characteristic part. */
const maxPrefixLength = 40;
/** How far before a name the text is read that shows what a bare "key" is for. */
const maxContextLength = 80;

const prefixUnits = /[A-Za-z0-9_.-]{0,40}$/;
const qualifier =
  /(?:^|[^A-Za-z0-9_.-])((?:api|access|auth(?:entication|orization)?|bearer|client|secret|private|license|service|account|session|webhook|signing|encryption|admin|master|deploy(?:ment)?|personal) )$/i;

/** Words for a password in languages that do not borrow the English word. */
export const foreignPasswordNames: readonly string[] = [
  ...[
    "contraseña",
    "contrasena",
    "mot de passe",
    "senha",
    "wachtwoord",
    "parola",
    "şifre",
    "lösenord",
    "heslo",
    "kennwort",
    "passord",
    "adgangskode",
    "kodeord",
    "salasana",
    "kata sandi",
    "palavra-passe",
    "palavra passe",
    "clave de acceso",
    "clave secreta",
    "contrasenya",
    "jelsz",
    "hasł",
    "hesle",
    "mật khẩu",
    "lozink",
    "slaptažod",
    "parool",
    "kata laluan",
    "nenosiri",
  ],
  ...[
    "парол",
    "лозинк",
    "κωδικός πρόσβασης",
    "κωδικό πρόσβασης",
    "συνθηματικό",
    "رمز عبور",
    "گذرواژه",
    "পাসওয়ার্ড",
    "كلمة المرور",
    "كلمة مرور",
    "كلمة السر",
    "كلمة سر",
    "الرقم السري",
    "पासवर्ड",
    "密码",
    "密碼",
    "口令",
    "パスワード",
    "비밀번호",
    "패스워드",
    "סיסמה",
    "סיסמא",
    "รหัสผ่าน",
  ],
];
const passwordName = new RegExp(`passw|passphrase|pwd|${foreignPasswordNames.join("|")}`, "i");
/** Short for a password, as a whole name or its end. */
const shortPasswordName = /(?:^|[_.-])(?:pw|mdp)$/i;
/** Words that also mean a password: what is told after them must have the form of one. */
export const vaguePasswordNames: readonly string[] = ["clave"];
const vagueName = new RegExp(`(?:^|[^\\p{L}])(?:${vaguePasswordNames.join("|")})$`, "iu");
/** Nouns that "clave" describes: key words, key points. */
const describedNoun =
  /(?<!\p{L})(?:palabras?|frases?|t[eé]rminos?|puntos?|piezas?|factor(?:es)?|conceptos?|elementos?|aspectos?|datos?|ideas?|temas?|preguntas?|momentos?|pap(?:el|eles)|rol(?:es)?|jugador(?:es|as?)?|figuras?|personas?|indicador(?:es)?|m[eé]tricas?|fechas?|sector(?:es)?|mercados?|productos?|tecnolog[ií]as?|herramientas?|caracter[ií]sticas?|componentes?|recursos?|par(?:es)?) $/iu;
const strongName =
  /(?:api|access|secret|auth|private|client|app|service|encrypt(?:ion)?|signing|master|admin|account|bearer|refresh|session|jwt|webhook|bot|user|db|storage|shared|license|deploy|personal|id)[ _.-]?(?:key|token|secret|credential)|secret[_.-]?(?:key|token|access)|(?:^|[_.-])(?:token|secret|credentials?)$/i;
const barePass = /^(?:\w+ )?pass$/i;
/** "Pass" has other meanings, unless a word says whose password it is. */
const passName =
  /(?:^|[_.-])(?:db|database|user|become|sudo|vault|router|wlan|smtp|imap|mail|email|login|admin|root|ftp|sftp|ssh|proxy|auth|http|basic|mysql|pg|postgres|redis|rabbitmq|mongo|sql|ldap|wifi|account|client|server|api|master|keystore|store)[_.-]?pass$/i;
const passEnding = /[a-z](?:Db|DB|User|Smtp|Mail|Login|Admin|Root|Auth|Proxy|Sql|Account|Client|Server|Store)Pass$/;
const strongEnding = /[a-z0-9](?:Token|Secret|Credentials?)$/;
const weakName = /[a-z0-9]Key$|[A-Za-z0-9][_.-]key$|(?:^|[_.-])(?:secret|apikey)[_.-]/i;
const harmlessName =
  /public|primary|foreign|partition|sort|cache|index|lookup|object|(?:next|page|continuation|cursor|sync|resume|scroll|cancell?ation)[_.-]?token|token(?:s|iz|_?type|_?count|_?limit|_?id$|_?ur[il]|_?endpoint)|max_?token|key(?:word|board|s$|_?id$|_?name|_?path|_?file|_?type|_?size|_?code|stone|frame|note)|monkey|hotkey|passwords?_?(?:hash|reset|field|length|min|max|policy|file|path|url|confirm|strength|regex|pattern|rules?|hint|label|placeholder|error|message|prompt)|secret_?(?:name|id$|arn|path|ref|version)|csrf|etag|integrity|checksum|hash|sha\d|md5|digest|fingerprint|uuid|commit/i;
/** Keys of data, of positions and of translations. */
const dataKey =
  /(?:next|row|item|build|commit|release|artifact|digest|checksum|etag|md5|sha(?:-?\d+)?|data|map|group|event|idempotency|de?dup(?:lication)?|routing|issue|project|query|local|range|bucket|record|entity|composite|natural|unique|candidate|lock|trace|translation|i18n|message|label|feature|config|setting|registry|s3|blob|asset|image|file|folder|path|host|node|parent|child|list|sub|test|product|order|document|column|table|field|component|react|render|state|store|shard|hash|search|short|up|down|left|right|arrow|enter|escape|tab|shift|ctrl|alt|meta|any|on)[_.-]?key$/i;
const credentialContext = /\bAPI\b|\bauth|credential|secret|encrypt|decrypt|signing|\bsign\b|cipher|hmac|bearer/i;

/** Words for a user, with the user's name behind them; verbs of a sentence about users are no name. */
const login =
  /(?<![\p{L}\p{N}])(?:login|log-in|id|user(?:name)?|utente|usuario|usuário|utilisateur|identifiant|benutzer|gebruiker|inlog|bruker|bruger|användare|käyttäjä|użytkownik|uživatel|логин|пользователь|логін|користувач|kullanıcı(?: adı)?|pengguna)[ \t:=]{1,3}(?:(?!(?:must|can|cannot|could|should|would|will|may|might|shall|to|do|does|did|not|who|you|we|they|has|have|had|is|are|never|always|then|only|also|and|or|kann|muss|soll|darf|doit|peut|debe|puede|deve|pode|moet|kan|mag|skal|ska)(?![\w.@-]))[\w.@-]{1,64}[ \t,;/|]{1,3})?$/iu;
/** The same in scripts without spaces. */
const denseLogin =
  /(?:账号|帳號|账户|帳戶|用户名|用戶名|ユーザー名?|ログイン名?|アカウント|아이디|계정)[ \t:：=は는은是]{0,3}[\w.@-]{1,64}[ \t,;/|，、；]{1,3}$/u;

/** Whether the text before a name ends in the name of a user, as where somebody writes down a login. */
export function isLogin(text: string, start: number): boolean {
  const before = text.slice(Math.max(0, start - maxContextLength), start);
  return login.test(before) || denseLogin.test(before);
}

/** The name before a value, with its qualifier, as in "API key". */
export function nameAt(text: string, start: number, end: number): string {
  const before = text.slice(Math.max(0, start - maxPrefixLength), start);
  const prefix = prefixUnits.exec(before)?.[0] ?? "";
  return (prefix === "" ? (qualifier.exec(before)?.[1] ?? "") : prefix) + text.slice(start, end);
}

/**
 * How strongly a name indicates a credential; a bare "key" does not, unless the text before it mentions an API or a
 * cipher.
 */
export function strengthOf(name: string, text: string, start: number): NameStrength {
  if (harmlessName.test(name)) return "none";
  if (passwordName.test(name) || shortPasswordName.test(name) || isPass(name, text, start)) return "password";
  if (strongName.test(name) || strongEnding.test(name)) return "strong";
  if (weakName.test(name)) return dataKey.test(name) ? "none" : "weak";
  const isAnnounced =
    /^key$/i.test(name) && credentialContext.test(text.slice(Math.max(0, start - maxContextLength), start));
  return isAnnounced ? "weak" : "none";
}

/** Whether a name is a word for a password among other things. */
export function isVagueName(name: string): boolean {
  return vagueName.test(name);
}

/** Whether a noun stands before such a word, so that it means another thing: "palabra clave". */
export function describesNoun(text: string, start: number): boolean {
  return describedNoun.test(text.slice(Math.max(0, start - maxContextLength), start));
}

/** Whether a name often means something else: `pw`, `mdp`, and "pass" behind a word. */
export function isShortName(name: string, text: string, start: number): boolean {
  return shortPasswordName.test(name) || (barePass.test(name) && followsWord(text, start));
}

// A bare "pass" begins a line or a field, or follows the name of a user; after another word it is something else, and in
// capitals it is a test result.
function isPass(name: string, text: string, start: number): boolean {
  if (barePass.test(name)) return name !== "PASS" && (!followsWord(text, start) || isLogin(text, start));
  return passName.test(name) || passEnding.test(name);
}

function followsWord(text: string, start: number): boolean {
  return /[\p{L}\p{N}] $/u.test(text.slice(Math.max(0, start - 2), start));
}

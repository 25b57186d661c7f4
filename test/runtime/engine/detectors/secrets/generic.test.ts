import { describe, expect, it } from "vitest";
import { found } from "../scan.ts";

// Joined here, so that no scanner takes a made-up value for a leaked one.
const hex = `${"9b41c07e5da8"}${"f3620d17be94"}${"a85c22f1"}`;
const mixed = `${"kT7vQ2mZx9"}${"LbR4wNs8YcJ3"}${"hVfD6g"}`;
const withSign = `${"fog7lamp-"}${"T0ad!Zq"}`;
const chosen = `${"w{{k}r)t$"}${"{u]mz(ab[c>-_$#y}}"}`;

describe("a credential that its name tells", () => {
  it.each<[string, (value: string) => string]>([
    ["a variable of two words", (value) => `parcelKey := "${value}"`],
    ["a variable that ends in token", (value) => `parcelToken = "${value}"`],
    ["a key of an API in a log", (value) => `[INFO] calling the parcel API\n[DEBUG] Using Key=${value}\n`],
    ["credentials", (value) => `parcel credentials: ${value}`],
    ["a sentence about an API key", (value) => `My parcel API key is ${value} - why do I get 401?`],
    ["a secret that is only named", (value) => `You find the parcel secret ${value} within.`],
    ["an argument", (value) => `define('API_SECRET', '${value}');`],
    ["a property", (value) => `props.setProperty("api.key","${value}")`],
    ["a quoted setting behind a space", (value) => `proxy_api_key "${value}";`],
    ["a flag", (value) => `$ parcel login --token ${value} --org north`],
    ["a variable of an image", (value) => `FROM alpine\nENV AUTH_TOKEN ${value}\n`],
    ["a login of a file", (value) => `machine api.parcel.io login deploy password ${value}7x`],
    ["a field beside its value", (value) => `env:\n  - name: PARCEL_TOKEN\n    value: "${value}"`],
    ["a JSON field beside its value", (value) => `{"name":"PARCEL_TOKEN","value":"${value}"}`],
    ["the default of a variable", (value) => `variable "api_token" {\n  type = string\n  default = "${value}"\n}`],
    ["bytes", (value) => `SIGNING_SECRET = b'${value}'`],
    ["a string as it stands", (value) => `var apiToken = @"${value}";`],
    ["a short word for a password", (value) => `DB_PASS='${value}'`],
    ["a field with a short word for a password", (value) => `{"user": "ann", "pass": "${value}"}`],
    ["a comparison", (value) => `if (pwd !== "${value}") return;`],
    ["braces in XML", (value) => `<id>{parcel}</id>\n<secret>{parcel AQAAABAAA ${value}}</secret>`],
  ])("is found: %s", (_, frame) => {
    for (const value of [hex, mixed]) expect(found("secrets", frame(value)).join()).toContain(value);
  });

  it.each<[string, (value: string) => string]>([
    ["a password", (value) => `password = "${value}"`],
    ["an API key", (value) => `api_key: '${value}'`],
  ])("may have brackets that are no template: %s", (_, frame) => {
    expect(found("secrets", frame(chosen))).toEqual([chosen]);
  });

  it("may be a chosen one", () => {
    expect(found("secrets", `client_secret: "${withSign}"`)).toEqual([withSign]);
  });
});

describe("a password", () => {
  it.each([
    ["password: ", `${"Fog7"}lamp&3`],
    ["Passwort: ", `${"Herbst"}2041!`],
    ["mot de passe : ", `${"Automne"}2041!`],
    ["Twoje hasło to ", `${"Jesien"}2041!`],
    ["senha: ", `${"Outono"}2041!`],
    ["wachtwoord: ", `${"Herfst"}2041!`],
    ["Şifre: ", `${"Guz"}2041!xq`],
    ["パスワード：", `${"Fog7"}lampQ2`],
    ["Mein Passwort lautet: ", `${"Herbst"}2041!`],
    ["Das Passwort lautet ", `${"Herbst"}2041!`],
    ["Kennwort: ", `${"Herbst"}2041!`],
    ["密码是", `${"Fog7"}lampQ2`],
    ["我的密码是：", `${"Fog7"}lampQ2`],
    ["密碼為 ", `${"Fog7"}lampQ2`],
    ["비밀번호는 ", `${"Fog7"}lampQ2`],
    ["パスワードは ", `${"Fog7"}lampQ2`],
    ["adgangskode: ", `${"Fog7"}lampQ2`],
    ["كلمة المرور: ", `${"Fog7"}lampQ2`],
    ["पासवर्ड: ", `${"Fog7"}lampQ2`],
  ])("is found whole behind %j", (name, value) => {
    expect(found("secrets", `${name}${value}\n`)).toEqual([value]);
  });

  it.each([
    ["ar", "كلمة المرور الخاصة بي هي "],
    ["cs", "Moje heslo je "],
    ["da", "Min adgangskode er "],
    ["da", "kodeord: "],
    ["de", "Mein Passwort ist "],
    ["en", "My password is "],
    ["es", "Mi contraseña es "],
    ["es", "Clave de acceso: "],
    ["fi", "Salasanani on "],
    ["fr", "Mon mot de passe est "],
    ["he", "הסיסמה שלי היא "],
    ["he", "סיסמה: "],
    ["hi", "मेरा पासवर्ड: "],
    ["id", "Kata sandi saya adalah "],
    ["id", "kata sandi: "],
    ["it", "La mia password è "],
    ["ja", "パスワードは "],
    ["ko", "비밀번호는 "],
    ["nl", "Mijn wachtwoord is "],
    ["no", "Passordet mitt er "],
    ["pl", "Moje hasło to "],
    ["pt", "A minha palavra-passe é "],
    ["ru", "Мой пароль — "],
    ["sv", "Mitt lösenord är "],
    ["th", "รหัสผ่านของฉันคือ "],
    ["th", "รหัสผ่าน: "],
    ["tr", "Şifrem: "],
    ["uk", "Мій пароль — "],
    ["zh", "我的密码是 "],
  ])("is found where a sentence in %s names it: %s", (_, name) => {
    const value = `${"Fog7"}lampQ2`;
    expect(found("secrets", `${name}${value}\n`)).toEqual([value]);
  });

  it("ends where a sentence without spaces goes on", () => {
    const value = `${"Fog7"}lampQ2`;
    for (const text of [`비밀번호는 ${value}입니다.`, `パスワードは${value}です。`, `密码是${value}，请保密`])
      expect(found("secrets", text)).toEqual([value]);
  });

  it("is found with its user in the logins of container registries", () => {
    const login = Buffer.from(`ann:${"Fog7"}lampQ2`).toString("base64");
    expect(found("secrets", `{"auths": {"https://index.docker.io/v1/": {"auth": "${login}"}}}`)).toEqual([login]);
    expect(found("secrets", '{"auth": "basicauthentication"}')).toEqual([]);
  });

  it("ends before the next parameter of an address", () => {
    expect(found("secrets", `/login?password=${withSign}&next=home`)).toEqual([withSign]);
  });
});

describe("a password that a sentence tells", () => {
  it.each([
    ["The admin password on the old NAS is Gravel!72b.", "Gravel!72b"],
    ["We set the password of the VPN to `Tin&Can44x` today.", "Tin&Can44x"],
    ["Das neue Passwort von der Kasse ist jetzt Apfel_33xK.", "Apfel_33xK"],
    ["Пароль администратора сменили на Kot!9912a.", "Kot!9912a"],
    ["Jelszavam a géphez: Macska!9912a", "Macska!9912a"],
    ["新しいパスワードをNeko!9912aに変更しました。", "Neko!9912a"],
    ["La clave de la caja fuerte es desde hoy Gato!9912a.", "Gato!9912a"],
    ["帳號 kanri，密碼Neko9912aKo", "Neko9912aKo"],
    ["ログイン名とパスワードNeko!9912aKoです", "Neko!9912aKo"],
    ["كلمة مرور: Gato!9912aQ", "Gato!9912aQ"],
    ["كلمة مرور الخادم هي Gato!9912aQ.", "Gato!9912aQ"],
    ["كلمة سر الشبكة الآن Gato!9912aQ", "Gato!9912aQ"],
    ["الرقم السري: Gato!9912aQ", "Gato!9912aQ"],
    ["usuario: ana / clave: Gravel72Bend", "Gravel72Bend"],
    ["machine x login ann password gravel72bend", "gravel72bend"],
    ["user: ann, pass: gravel72bend", "gravel72bend"],
    ["mdp : Gravel72Bend", "Gravel72Bend"],
    ["heslo » Gravel_72ř", "Gravel_72ř"],
    ["admin pass | Gravel!72bX", "Gravel!72bX"],
    ["user ann pass Gravel72Bend", "Gravel72Bend"],
    ["логин anna пароль Gravel72Bend", "Gravel72Bend"],
    ["| Passwort | Gravel&72b |", "Gravel&72b"],
    ["hasło → Gravel!72b", "Gravel!72b"],
    ["ID: ann / PW: Gravel72Bend", "Gravel72Bend"],
    ["REPORT_PW='Gravel!72b'", "Gravel!72b"],
    ["sudo_pass: Gravel!72b", "Gravel!72b"],
  ])("%s", (text, password) => {
    expect(found("secrets", text)).toEqual([password]);
  });

  it.each([
    "The password was leaked. Contact Anna#4411 for a new one.",
    "Is a password like Tr0ub4dor&3 better than four words?",
    "My password does not work in Chrome_v120-Beta or Windows11-Pro.",
    "Our password policy is ISO27001#2022-Rev, as agreed.",
    "The password was sent to Bob+test7@example.com yesterday.",
    'login("MAIL_PASSWORD")  send(&Message2#a)',
    "The password (see Page#12Room) is at the desk.",
    "La clave del problema está en Windows11 y en Chrome_v120-Beta.",
    "La clave del enclave 2024: paciencia y trabajo.",
    "| password | string | Required2 | maxLength=64 |",
    "A free pass Berlin2024Fair for all, and the upward path2Success.",
    "| login works | pass | 2024-11-28 |",
    "Pass | 00:12:03.221 | ok",
    "unit: pass → 2024-11-28T10:22",
    "- pass | 3-Täler-2024",
    "login works pass: build-20241128.4",
    "| Password | 2024-11-28 | rotated |",
    "| Password | Base64-encoded |",
    "| Mot de passe | 12caractères |",
    "password → OAuth2.0",
    "Settings → Password → Two-Factor2",
    "password ~ 12-64chars",
    "The user must pass ISO-27001 training.",
    "The user must pass Level3Exam first.",
    "If the user can pass --max-tokens=4096 the request fails.",
    "Let the user pass max_tokens=4096, please.",
    "After login you pass 3-D-Secure2.",
    "La palabra clave es iPhone15Pro.",
    "La palabra clave es Gato!9912aQ",
    "Punto clave: ChatGPT4o",
    "clave: Samsung-GalaxyS24",
    "Conceptos clave: H2O2plus+",
    "密码SHA256withRSA算法",
    "비밀번호SHA512crypt사용",
    "パスワード1Passwordを使う",
    'mdp = "Taxi-v3"',
    "mdp = GridWorld-4x4",
    "pw = playwright-1.40",
    "pw = n_atoms*3+2",
  ])("none in: %s", (text) => {
    expect(found("secrets", text)).toEqual([]);
  });

  it("is not looked for further than some words away", () => {
    expect(found("secrets", `The password ${"of the old server ".repeat(5)}is Gravel!72b`)).toEqual([]);
  });
});

describe("no credential", () => {
  it.each([
    [
      "a question for a password",
      "密码是什么？비밀번호는 무엇입니까? パスワードは8文字以上です。Wie lautet das Passwort?",
    ],
    [
      "sentences about passwords",
      "Heslo je povinné pole. Kata sandi adalah rahasia. הסיסמה היא סודית. รหัสผ่านคือความลับ. Пароль — это секрет. Passordet mitt er glemt. Clave de acceso perdida.",
    ],
    ["passes of a test", "First pass: iteration2 done, PASS: test_login_v2 (0.3 s)"],
    ["a pass to fly with", 'boarding pass = "LH1234-FRA"'],
    ["a pass that draws", 'renderPass = "shadowMap2D"'],
    ["a pattern of passwords", 'passwordRegex = "^(?=.*[A-Z])(?=.*[0-9])[A-Za-z0-9!@#$%]{8,}$"'],
    ["keys to press", '<a accesskey="Alt+Shift+P1">'],
    ["a page of a list", `"nextToken": "${mixed}"`],
    ["a key of data", `{"key": "${hex}", "size": 1024}`],
    ["a key of storage", 'const storageKey = "app:theme:2024:dark:v12345";'],
    ["a key by the digest of what it stands for", "shaKey: 14df22602fb5888b65fd2cbe3a36e6d4c3530c71"],
    ["a key of a build", "build.key=0bb8e8a15a89fa9a21157d9e63f528d4"],
    ["a key that makes a request unique", "idempotency_key: 3f2504e0-4f89-11d3-9a0c-0305e82c3301"],
    ["a key of the keyboard", "press key: F12 to save"],
    ["a path among names", "paths: ['users[0].password', 'users[1].password2']"],
    ["names of a program", "exports.findX509Credential = exports.rememberX509Credential"],
    ["names of types", "(Private Key): base64url-encoded"],
    ["words and numbers", "the API returns a key: 2024-03-18T10:22:31Z-batch-00017-final"],
    ["a licence", 'licenseKey: "GPL-3.0-or-later-2024"'],
    ["a template", `api_key = "$\{ACME_API_KEY_2024_V12}"`],
    ["another template", 'secret_key: "{{ vault_secret_key_2024 }}"'],
    ["a flag with a variable", "deploy --token $DEPLOY_TOKEN_2024 --password-stdin"],
    ["a field of a reference", "- name: API_KEY\n  valueFrom:\n    secretKeyRef: {name: north-2024-v12}"],
  ])("%s", (_, text) => {
    expect(found("secrets", text)).toEqual([]);
  });
});

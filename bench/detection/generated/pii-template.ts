// Sentences around personal data. Those of "test" have never been looked at while tuning: when they are, they belong to
// "dev" from then on, and new ones are needed.

import type { CountryCode } from "libphonenumber-js/max";

/** Sentences of one country: `{PHONE}` stands for a number as written there. */
export interface TemplateSet {
  readonly country: CountryCode | undefined;
  readonly sentences: readonly string[];
}

/** By draw. */
export const templates: Readonly<Record<"dev" | "test", readonly TemplateSet[]>> = {
  dev: [
    {
      country: undefined,
      sentences: [
        "Reach the clinic on {PHONE} before noon.",
        "New contact: Bo Lind, {PHONE}, {EMAIL}",
        "Transfer the deposit to {IBAN} by {DATE}.",
        "Card on file: {CARD}, order {ORDER}",
        "{IP} - - [{DATE}] GET /index.html 200 {ORDER}",
        "see {URL} for version {VERSION}",
        "His SSN is {SSN} and he was born in {YEARS}.",
      ],
    },
    {
      country: "US",
      sentences: ["Hi, this is Dana from the front desk, my direct line is {PHONE}.", "{PHONE} - ask for Lou"],
    },
    {
      country: "DE",
      sentences: [
        "Sie erreichen uns unter {PHONE} oder per Mail an {EMAIL}.",
        "Bitte überweisen Sie auf {IBAN}, Rechnung {ORDER}.",
      ],
    },
    { country: "FR", sentences: ["Rappelez-moi au {PHONE} avant {TIME}.", "Mon RIB : {IBAN}"] },
    { country: "ES", sentences: ["Puedes llamarme al {PHONE} por la tarde.", "El pedido {ORDER} llegó el {DATE}."] },
    {
      country: "GB",
      sentences: ["Ring the office on {PHONE}, it is open until {TIME}.", "Sort it out with Priya ({PHONE})."],
    },
    { country: "BR", sentences: ["Me liga no {PHONE} quando puder.", "O pedido {ORDER} custou {PRICE}."] },
    {
      country: "US",
      sentences: [
        "You can get hold of Maria at {PHONE}.",
        "Call {PHONE} about booking {ORDER}, contract {ORDER}, shipment {ORDER}.",
        "Leave a voice mail on {PHONE} and we will get back to you.",
        "Lost dog, reward! {PHONE}",
        "Signed, Tom Reyes\n{PHONE}",
      ],
    },
    {
      country: "DE",
      sentences: [
        "Mobilnummer: {PHONE}",
        "Rückruf an {PHONE} erbeten, Vorgang {ORDER}, Vertrag {ORDER}.",
        "Schreib mir auf Whatsapp an die {PHONE}.",
        "Unser Kundentelefon {PHONE} ist bis {TIME} besetzt.",
        "Melde dich bei Kai, {PHONE}.",
      ],
    },
    {
      country: "FR",
      sentences: [
        "Voici mon portable : {PHONE}.",
        "Appelez le {PHONE} pour la commande {ORDER} ou le contrat {ORDER}.",
        "Vous pouvez joindre le service client au {PHONE}.",
        "Envoyez un texto au {PHONE} svp.",
        "Contactez Léa, {PHONE}.",
      ],
    },
    {
      country: "ES",
      sentences: [
        "Mándame un whatsapp al {PHONE}.",
        "Número de contacto: {PHONE}",
        "Llame al {PHONE} con su expediente {ORDER} o su reserva {ORDER}.",
        "Marca el {PHONE} y pregunta por Ana.",
        "El móvil de mi hermano: {PHONE}",
      ],
    },
    {
      country: "IT",
      sentences: [
        "Puoi contattarmi al numero {PHONE}.",
        "Chiami {PHONE} per l'ordine {ORDER} o la pratica {ORDER}.",
        "Recapito telefonico {PHONE}",
        "Scrivimi su whatsapp, {PHONE}.",
        "Tel. {PHONE}, chiedere di Marco",
      ],
    },
    {
      country: "NL",
      sentences: [
        "Mijn mobiele nummer is {PHONE}.",
        "Bel {PHONE} over factuur {ORDER} of klantnummer {ORDER}.",
        "Stuur een appje naar {PHONE}.",
        "Telefoonnummer: {PHONE}",
        "App of bel {PHONE}",
      ],
    },
    {
      country: "PL",
      sentences: [
        "Zadzwoń do mnie: {PHONE}",
        "Telefon {PHONE}, zamówienie {ORDER}, faktura {ORDER}",
        "Tel. kom. {PHONE}",
        "Kontakt: Jan, {PHONE}",
        "Wyślij SMS na {PHONE}.",
      ],
    },
    {
      country: "BR",
      sentences: [
        "Número de telefone: {PHONE}",
        "Telefone {PHONE}, protocolo {ORDER}, nota fiscal {ORDER}",
        "Chama no zap {PHONE}",
        "Contato: {PHONE}",
        "Ligar para {PHONE} depois das {TIME}",
      ],
    },
    { country: "SE", sentences: ["Telefonnummer: {PHONE}", "Nå mig på {PHONE}.", "Du kan smsa till {PHONE}."] },
    { country: "TR", sentences: ["Telefon numaram {PHONE}", "Beni {PHONE} no'lu telefondan arayın.", "GSM: {PHONE}"] },
    {
      country: "IN",
      sentences: [
        "Whatsapp me on {PHONE}",
        "Contact no. {PHONE}",
        "फ़ोन करें: {PHONE}",
        "Registered mobile {PHONE} for OTP",
      ],
    },
    { country: "JP", sentences: ["連絡先は{PHONE}までお願いします。", "TEL {PHONE}", "お電話（{PHONE}）ください。"] },
    { country: "CN", sentences: ["请拨打{PHONE}联系我。", "电话是{PHONE}", "手机：{PHONE}，姓名：李雷"] },
    { country: "AU", sentences: ["Mob: {PHONE}", "Drop me a text on {PHONE}.", "My mobile's {PHONE} if you need me."] },
    {
      country: "GB",
      sentences: ["Mobile {PHONE}", "You'll get me on {PHONE} most evenings.", "Leave a message on {PHONE}."],
    },
  ],
  test: [
    {
      country: undefined,
      sentences: [
        "Please update my file: new mobile {PHONE}, same mail {EMAIL}.",
        "Emergency contact (sister): {PHONE}",
        "From abroad dial {PHONE}; the flight lands on {DATE} at {TIME}.",
        "name;phone;mail\nR. Okafor;{PHONE};{EMAIL}",
        '{"customer": {"phone": "{PHONE}", "since": "{DATE}", "total": {PRICE}}}',
        "My WhatsApp is {PHONE} if the mail bounces.",
        "The refund of {PRICE} goes to {IBAN}, reference {ORDER}.",
        "IBAN: {IBAN}",
        "charge {CARD} exp 11/29 for order {ORDER}",
        "I was billed twice on my card {CARD} on {DATE}, why?",
        "SSN {SSN}, first hired in {YEARS}",
        "The applicant's social security number, {SSN}, does not match.",
        "Failed password for root from {IP} port 52144 ssh2",
        "ping {IP} works, but {URL} does not load since version {VERSION}.",
        "Have a look at {URL}, then write to {EMAIL}.",
        "Mail {EMAIL} about ticket {ORDER}.",
      ],
    },
    {
      country: "US",
      sentences: [
        "Text me at {PHONE} when the delivery is at the door.",
        "Voicemail from {PHONE}: please call back about invoice {ORDER}.",
        "Dr. Amy Chu | {PHONE} | {EMAIL}",
        "You can fax the form to {PHONE}.",
      ],
    },
    {
      country: "GB",
      sentences: [
        "The plumber's number is {PHONE}, tell him Jo sent you.",
        "Tel {PHONE}\nOpening hours 9-17",
        "Could you phone my mum on {PHONE} after {TIME}?",
      ],
    },
    {
      country: "DE",
      sentences: [
        "Meine neue Handynummer lautet {PHONE}.",
        "Praxis Dr. Vogt, Tel. {PHONE}, Termin am {DATE} um {TIME}",
        "Rufen Sie bitte unter {PHONE} zurück, es geht um Auftrag {ORDER}.",
        "Kontoinhaber Lea Brandt, {IBAN}",
      ],
    },
    {
      country: "FR",
      sentences: [
        "Mon numéro est le {PHONE}, laissez un message.",
        "Joignable au {PHONE} de 9h à {TIME}.",
        "Cabinet Morel – {PHONE} – {EMAIL}",
      ],
    },
    {
      country: "ES",
      sentences: [
        "Mi teléfono es {PHONE} y mi correo {EMAIL}.",
        "Avísame al {PHONE} cuando salgas.",
        "Factura {ORDER}, pagada con la tarjeta {CARD}",
      ],
    },
    {
      country: "IT",
      sentences: [
        "Il mio cellulare è {PHONE}.",
        "Per informazioni chiamare il {PHONE} entro le {TIME}.",
        "Bonifico su {IBAN} entro il {DATE}",
      ],
    },
    { country: "NL", sentences: ["Je kunt me bereiken op {PHONE}.", "Bel de winkel: {PHONE}, bestelling {ORDER}"] },
    { country: "PL", sentences: ["Mój numer telefonu to {PHONE}.", "Proszę dzwonić pod {PHONE} po {TIME}."] },
    {
      country: "BR",
      sentences: ["Meu celular é {PHONE}, pode mandar mensagem.", "Fale com a loja pelo {PHONE}, pedido {ORDER}."],
    },
    { country: "SE", sentences: ["Mitt mobilnummer är {PHONE}.", "Ring mig på {PHONE} efter {TIME}."] },
    { country: "TR", sentences: ["Cep telefonum {PHONE}.", "Bana {PHONE} numarasından ulaşabilirsiniz."] },
    {
      country: "IN",
      sentences: ["My mobile number is {PHONE}, please call after {TIME}.", "मेरा मोबाइल नंबर {PHONE} है।"],
    },
    { country: "JP", sentences: ["電話番号は{PHONE}です。", "携帯: {PHONE}"] },
    { country: "CN", sentences: ["我的手机号是{PHONE}，请加微信。", "联系电话：{PHONE}"] },
    { country: "AU", sentences: ["Give me a bell on {PHONE} before {TIME}.", "Contact the site office: {PHONE}"] },
  ],
};

/** Sentences with numbers of other kinds. */
export const innocent: Readonly<Record<"dev" | "test", readonly string[]>> = {
  dev: [
    "Order {ORDER} was shipped on {DATE}.",
    "The lease ran {YEARS} and cost {PRICE} a month.",
    "Build {VERSION} fixed issue {ORDER}.",
    "pi is 3.14159265358979",
    "Meet at {TIME} in room {ROOM}.",
  ],
  test: [
    "Your parcel {TRACKING} leaves the depot at {TIME}.",
    "Invoice no. {ORDER} of {DATE}: {PRICE}",
    "ISBN {ISBN}, second edition, {YEARS}",
    "In {YEARS} the population grew from 1 204 331 to 1 377 902.",
    "sensor 7: 0.0012345678 0.9987654321 -12.5000000001",
    "SELECT * FROM t WHERE id IN ({ORDER}, {ORDER}, {ORDER})",
    "Rechnung {ORDER} vom {DATE}, fällig in 14 Tagen",
    "commit 3f9c2ab, build {VERSION}, run {ORDER}",
    "Le train 6203 part à {TIME} voie 12, dossier {TRACKING}.",
    "Room {ROOM}, floor 3, code {ROOM}, from {DATE} to {DATE}",
    "GPS 48.8583, 2.2945; height 330 m; built 1887-1889",
    "The primes up to 50 are 2 3 5 7 11 13 17 19 23 29 31 37 41 43 47.",
    "timestamp={EPOCH} level=info took=1234567us rows={ORDER}",
    "Das Spiel endete 102-98, in der Saison {YEARS} war es 88-91.",
    "Part number 100-200-3000 replaces 100-199-2999.",
    "注文番号は{ORDER}、合計は{PRICE}です。",
    "Account ending in 4242, batch {ORDER}, terminal {ROOM}.",
    "The ratio is 1234567890 / 987654321 = 1.2499999886",
  ],
};

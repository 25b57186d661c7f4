/** Everyday words by language, from which texts and phrases are made. */
export const words: Readonly<Record<string, readonly string[]>> = {
  en: "account address answer before brother building careful change child city cloud coffee company computer country customer december delivery different doctor dollar early evening family february friend garden general happy holiday house hundred important invoice january kitchen language letter library little machine manager market message minute monday morning mother music nature number office order package paper people person picture problem product project question river school second service simple station student summer support system table teacher ticket together tomorrow travel under value village water weather window winter woman writing yellow yesterday".split(
    " ",
  ),
  de: "abend adresse antwort arbeit aufgabe bahnhof beispiel bericht bestellung brief bruder buch donnerstag eingang einkauf ergebnis familie farbe fenster firma freitag freund frühling garten geschäft gestern haus hilfe jahr kaffee kollege konto kunde küche lieferung meinung mittag montag morgen mutter nachricht nummer problem rechnung reise schule sommer sprache stadt straße stunde system tisch termin vertrag wasser wetter winter woche zeitung zimmer".split(
    " ",
  ),
  fr: "adresse ami année août argent bureau café chambre client colis commande compte demain école enfant exemple facture famille fenêtre fleur frère garçon hiver jardin jeudi jour langue lettre livraison livre lundi maison marché matin message mère minute musique numéro papier pays personne pluie porte problème projet question rivière semaine service soir soleil table temps train travail ville voiture voyage".split(
    " ",
  ),
  es: "abril agua amigo año banco calle camino cantidad carta casa ciudad cliente cocina correo cuenta cuatro dinero domingo ejemplo empresa entrega escuela factura familia fecha fuego hermano hora idioma invierno jardín jueves libro lugar lunes madre mañana mensaje mercado mesa mundo música número oficina papel pedido persona problema proyecto pueblo puerta respuesta semana servicio sistema trabajo ventana verano viaje".split(
    " ",
  ),
  ru: "адрес вечер вода вопрос время город группа день деньги дерево дом друг жизнь завтра заказ зима имя история книга компания кухня лето магазин мама место минута мир музыка неделя номер окно ответ отец письмо погода помощь почта пример проект работа ребёнок река рынок сестра система слово стол страна счёт утро улица учитель человек школа язык".split(
    " ",
  ),
};

// Every kind of number is found wherever it stands, and nothing is that only looks like one.

import { describe, expect, it } from "vitest";
import { drawOf } from "../../../../../bench/detection/generated/draw.ts";
import { identitySweep } from "../../../../../runtime/engine/detectors/pii/identity.ts";
import { drawNumber, formats, isNumber, labels } from "./sample-identity.ts";

const sweep = identitySweep(formats);
const perFormat = 12;
const named = formats.map((format, index) => {
  const draw = drawOf(20261122 + index);
  return [format.kind, Array.from({ length: perFormat }, () => drawNumber(format, draw)), format] as const;
});

/** Where a text has a number of this kind, and how certain that is. */
function foundIn(kind: string, text: string): (readonly [string, number])[] {
  return sweep(text)
    .filter(({ attributes }) => attributes?.kind === kind)
    .map(({ start, end, score }) => [text.slice(start, end), score]);
}

/**
 * Whether whole groups at the beginning or the end of a text are a number of a kind: then it has one, whatever else it
 * is.
 */
function hasNumber(kind: string, text: string): boolean {
  const edges = [0, ...[...text.matchAll(/[ ./-]/g)].flatMap(({ index }) => [index, index + 1]), text.length];
  const parts = edges.flatMap((edge) => [text.slice(edge), text.slice(0, edge)]);
  return formats.some((format) => format.kind === kind && parts.some((part) => isNumber(format, part)));
}

describe("numbers drawn from the form and check of their kind", () => {
  it.each(named)("%s: each is found next to a word that names its kind", (kind, numbers) => {
    const label = labels.get(kind);
    expect(label).toBeDefined();
    for (const number of numbers) {
      for (const text of [
        `${label} ${number}`,
        `${label}: ${number}, thanks`,
        `The ${label} of Mary Jones (${number}).`,
        `${label}\nMary Jones ${number}`,
      ])
        expect(foundIn(kind, text), text).toContainEqual([number, 0.95]);
    }
  });

  it.each(named.filter(([, , { alone }]) => alone >= 0.3))(
    "%s: each is found without such a word, behind any other",
    (kind, numbers, format) => {
      for (const number of numbers) {
        for (const text of [number, `we got ${number} today`, `written here: ${number}.`, `5 items ${number}`])
          expect(foundIn(kind, text), text).toContainEqual([number, format.alone]);
      }
    },
  );

  it.each(named)("%s: none is found with a character more or less, or one glued on", (kind, numbers) => {
    const label = labels.get(kind);
    for (const number of numbers) {
      for (const other of [
        `${number}7`,
        `7${number}`,
        number.slice(0, -1),
        number.slice(1),
        `x${number}`,
        `${number}q`,
      ]) {
        if (hasNumber(kind, other)) continue;
        expect(foundIn(kind, `${label} ${other}, thanks`), other).toEqual([]);
      }
    }
  });
});

describe("a number that its check digit fits by chance", () => {
  const swedish = "811218-9876";
  it.each([
    `Artikel ${swedish} finns i fyra färger.`,
    `Order no. ${swedish} is ready.`,
    `Rechnungsnummer: ${swedish}`,
    `주문번호 ${swedish}은 내일 배송됩니다.`,
    `Заказ № ${swedish} готов.`,
  ])("is that of what is ordered, billed or shipped: %s", (text) => {
    expect(foundIn("se_personnummer", text)).toEqual([]);
  });

  it.each([
    `Personnummer på fakturan: ${swedish}`,
    `Order for the customer with personnummer ${swedish}.`,
    `The orders of ${swedish} are ready.`,
  ])("is somebody's where a word names it, or no such word stands before it: %s", (text) => {
    expect(foundIn("se_personnummer", text)).toMatchObject([[swedish, expect.any(Number)]]);
  });
});

describe("a number that stands behind a word for an invoice or an order", () => {
  it.each([
    ["cn_resident_id", "Order ", "11010519491231002X"],
    ["cn_resident_id", "订单 ", "11010519491231002X"],
    ["it_codice_fiscale", "Fattura ", "RSSMRA85T10A562S"],
    ["br_cpf", "nota fiscal ", "529.982.247-25"],
    ["es_dni", "Factura: ", "12345678Z"],
  ])("is somebody's where its form is distinct: %s after %s", (kind, before, number) => {
    expect(foundIn(kind, `${before}${number} intestata`)).toMatchObject([[number, expect.any(Number)]]);
  });

  it.each([
    ["br_cpf", "nota fiscal 52998224725"],
    ["tr_kimlik", "Sipariş no: 10000000146"],
  ])("is that of the paper where it is plain digits: %s in %s", (kind, text) => {
    expect(foundIn(kind, text)).toEqual([]);
    const digits = /\d+/.exec(text)?.[0];
    expect(foundIn(kind, `hier ${digits}`)).toMatchObject([[digits, expect.any(Number)]]);
  });
});

/** Kind, a number as it is written, and the same with something that no such number has. */
const cases: readonly (readonly [string, string, string])[] = [
  ["in_pan", "AFZPK7190K", "AFZQK7190K"],
  ["hk_id", "A123456(3)", "A123456(4)"],
  ["th_id", "1 1014 00001 23 1", "1 1014 00001 23 2"],
  ["kz_iin", "910815450350", "910815450351"],
  ["au_medicare", "2123 45670 1", "2123 45671 1"],
  ["fr_spi", "30 23 217 600 053", "30 23 217 600 054"],
  ["de_ausweis", "T220001293", "T220001294"],
  ["uk_nino", "AB 12 34 56 C", "BG 12 34 56 C"],
  ["cz_rodne_cislo", "710319/2745", "710319/2746"],
  ["gr_afm", "094259216", "094259217"],
  ["no_fodselsnummer", "151086 95088", "151086 95089"],
  ["dk_cpr", "211062-5629", "310262-5629"],
  ["hu_adoazonosito", "8071592153", "8071592154"],
  ["ua_rnokpp", "1759013776", "1759013777"],
  ["us_mbi", "1EG4-TE5-MK73", "1SG4-TE5-MK73"],
  ["mx_curp", "BOXW310820HNERXN09", "BOXW310820HNERXN08"],
  ["mx_rfc", "GODE561231GR8", "GODE561331GR8"],
  ["mx_rfc", "A&B800101AB3", "A&B801301AB3"],
  ["mx_rfc", "ÑAB800101AB3", "ÑAB801301AB3"],
  ["co_nit", "213.123.432-1", "213.123.432-2"],
  ["ec_cedula", "1714307103", "1714307104"],
  ["cl_rut", "12.531.909-2", "12.531.909-3"],
];

describe("published examples", () => {
  it.each(cases)("%s: %s is found, and %s is not", (kind, number, other) => {
    const label = labels.get(kind);
    expect(foundIn(kind, `${label} ${number}, thanks`)).toEqual([[number, 0.95]]);
    expect(foundIn(kind, `${label} ${other}, thanks`)).toEqual([]);
  });

  it("are found after short words that only a space separates from them", () => {
    expect(foundIn("us_mbi", "Medicare 1EG4-TE5-MK73")).toEqual([["1EG4-TE5-MK73", 0.95]]);
    expect(foundIn("us_ssn", "a&455-99-6622 R&D 455-99-6623")).toEqual([
      ["455-99-6622", 0.8],
      ["455-99-6623", 0.8],
    ]);
  });

  it("are announced by Cyrillic words, and not by parts of them", () => {
    for (const [kind, told, untold] of [
      ["kz_iin", "ИИН 910815450350", "лиин 910815450350"],
      ["ua_rnokpp", "іпн: 1759013776", "міпн: 1759013776"],
      ["ru_inn", "инн 500100732259", "длинный 500100732259"],
    ] as const) {
      expect(foundIn(kind, told).map(([, score]) => score)).toEqual([0.95]);
      expect(foundIn(kind, untold).map(([, score]) => score)).not.toContain(0.95);
    }
  });
});

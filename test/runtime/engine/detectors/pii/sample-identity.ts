// Numbers of states drawn from their printed form and check, and a word by which somebody would call each.

import type { Draw } from "../../../../../bench/detection/generated/draw.ts";
import { isUniform } from "../../../../../runtime/engine/detectors/pii/check-digit.ts";
import { americanIdentities } from "../../../../../runtime/engine/detectors/pii/identity/america.ts";
import { asianIdentities } from "../../../../../runtime/engine/detectors/pii/identity/asia.ts";
import { eastEuropeanIdentities } from "../../../../../runtime/engine/detectors/pii/identity/europe-east.ts";
import { westEuropeanIdentities } from "../../../../../runtime/engine/detectors/pii/identity/europe-west.ts";
import type { IdentityFormat } from "../../../../../runtime/engine/detectors/pii/identity.ts";
import { parseShape, type ShapePart } from "../../../../../runtime/engine/detectors/pii/shape.ts";

/** Every format of the table. */
export const formats: readonly IdentityFormat[] = [
  ...americanIdentities,
  ...asianIdentities,
  ...eastEuropeanIdentities,
  ...westEuropeanIdentities,
];

/** What a form calls a number, by its kind. */
export const labels: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ...{
      us_ssn: "SSN",
      us_itin: "ITIN",
      us_ein: "EIN",
      us_npi: "NPI",
      us_dea: "DEA",
      us_mbi: "Medicare",
      us_mrn: "MRN",
    },
    ...{
      us_aba: "Routing",
      ca_sin: "SIN",
      mx_curp: "CURP",
      mx_rfc: "RFC",
      br_cpf: "CPF",
      br_cnpj: "CNPJ",
      ar_cuit: "CUIT",
    },
    ...{
      cl_rut: "RUT",
      co_nit: "NIT",
      ec_cedula: "Cédula",
      in_aadhaar: "Aadhaar",
      in_pan: "PAN",
      cn_resident_id: "身份证",
    },
    ...{
      tw_id: "身分證",
      hk_id: "HKID",
      jp_my_number: "マイナンバー",
      kr_rrn: "주민등록번호",
      sg_nric: "NRIC",
      th_id: "เลขประจำตัวประชาชน",
    },
    ...{
      il_teudat_zehut: "ת.ז",
      za_id: "ID number",
      kz_iin: "ИИН",
      au_tfn: "TFN",
      au_abn: "ABN",
      au_medicare: "Medicare",
    },
    ...{
      nz_ird: "IRD",
      pl_pesel: "PESEL",
      pl_nip: "NIP",
      cz_rodne_cislo: "r.č.",
      ro_cnp: "CNP",
      bg_egn: "ЕГН",
      hr_oib: "OIB",
    },
    ...{
      si_emso: "EMŠO",
      gr_afm: "ΑΦΜ",
      se_personnummer: "Personnr",
      no_fodselsnummer: "fødselsnummer",
      dk_cpr: "CPR",
    },
    ...{
      fi_hetu: "HETU",
      ee_isikukood: "isikukood",
      lv_personas_kods: "personas kods",
      hu_adoazonosito: "adóazonosító",
    },
    ...{ tr_kimlik: "T.C.", ru_snils: "СНИЛС", ru_inn: "ИНН", ua_rnokpp: "ІПН", es_dni: "DNI", es_nie: "NIE" },
    ...{
      it_codice_fiscale: "C.F.",
      it_partita_iva: "P. IVA",
      fr_nir: "NIR",
      fr_spi: "Numéro fiscal",
      de_steuer_id: "Steuer-ID",
    },
    ...{ de_ausweis: "Personalausweisnummer", uk_nino: "NINO", uk_nhs: "NHS", nl_bsn: "BSN", be_rijksregister: "NISS" },
    ...{ ch_ahv: "AHV", at_svnr: "SV-Nr", ie_pps: "PPS", pt_nif: "NIF" },
  }),
);

/** Whether a text is a number of this format. */
export function isNumber(format: IdentityFormat, text: string): boolean {
  return wholeOf(format).test(text) && passes(format, text);
}

function wholeOf({ shape }: IdentityFormat): RegExp {
  return new RegExp(`^(?:${shape})$`, "i");
}

function passes(format: IdentityFormat, text: string): boolean {
  const compact = text.replace(/[ ./-]/g, "").toUpperCase();
  return format.check(compact) && !isUniform(compact);
}

const mostTries = 500_000;

/** Draws a number of a format. */
export function drawNumber(format: IdentityFormat, draw: Draw): string {
  const shape = parseShape(format.shape);
  const whole = wholeOf(format);
  for (let tries = 0; tries < mostTries; tries++) {
    const text = drawPart(shape, draw, []);
    if (passes(format, text) && whole.test(text)) return text;
  }
  throw new Error(`no number of the form "${format.shape}" passes its check`);
}

// `groups` has what was drawn for each group that is referred to.
function drawPart(part: ShapePart, draw: Draw, groups: string[]): string {
  switch (part.kind) {
    case "character":
      return draw.text(part.characters, 1);
    case "series":
      return part.parts.map((each) => drawPart(each, draw, groups)).join("");
    case "choice": {
      const text = drawPart(draw.of(part.options), draw, groups);
      if (part.group > 0) groups[part.group] = text;
      return text;
    }
    case "repeat": {
      const times = part.min + draw.below(part.max - part.min + 1);
      return Array.from({ length: times }, () => drawPart(part.part, draw, groups)).join("");
    }
    case "same":
      return groups[part.group] ?? "";
  }
}

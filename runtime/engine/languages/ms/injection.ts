// Injection rules in Malay.
// The short orders of Malay stand with the Indonesian ones, which share most of their words: ../id/injection.ts.

import type { InjectionLanguage } from "../injection-part.ts";

/** Attacks in Malay. */
export const injection: InjectionLanguage = {
  wording: {
    verbs: "first",
    drop: "(?:meng)?abaikan|(?:me)?lupakan|(?:menge)?tepikan|batalkan|langgar|jangan (?:ikut|patuhi|hiraukan)|berhenti mematuhi",
    rules:
      "(?:arahan|peraturan|perintah|sekatan|panduan) (?:[a-z]+ )?(?:terdahulu|sebelum ini|sebelumnya|di atas|asal|sistem|dalaman|yang (?:diberikan|ditetapkan)|awak|anda|pembangun)",
    show: "tunjukkan|cetak|dedahkan|salin|ulang|paparkan|tuliskan|ringkaskan|terjemahkan|apa yang tertulis",
    secret:
      "gesaan sistem (?:awak|anda|kamu)|(?:arahan|peraturan) (?:tersembunyi|rahsia|dalaman) (?:awak|anda|kamu|daripada pembangun)|mesej pertama (?:awak|yang anda terima)",
    become: "mulai sekarang|sekarang awak|sekarang anda|berlakon|berpura-pura|masuk ke",
    free: "tanpa (?:sebarang )?(?:peraturan|had|sekatan|penapis|batasan)|tiada (?:sekatan|penapis|peraturan|moral)|tidak ikut sebarang",
  },
};

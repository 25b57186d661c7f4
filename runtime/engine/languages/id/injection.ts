// Injection rules in Indonesian.

import type { InjectionLanguage } from "../injection-part.ts";

/** Attacks in Indonesian. */
export const injection: InjectionLanguage = {
  prompts: {
    show: "tampilkan|tunjukkan|ungkapkan|ulangi|salin|terjemahkan|ringkas|tuliskan|tulis|cetak|sebutkan|bacakan|beri tahu|berikan",
    told: "(?:prompt sistem|prompt awal|(?:instruksi|aturan|perintah|konfigurasi) (?:rahasia|tersembunyi|awal|internal|sistem))",
    ends: "(?:semua |segala )?(?:aturan|instruksi|batasan|larangan)(?:mu| anda| kamu)? (?:sudah |kini )?(?:tidak (?:berlaku|ada)(?: lagi)?|dicabut|dibatalkan|batal)",
  },
  wording: {
    verbs: "first",
    drop: "(?:meng)?abaikan|(?:me)?lupakan|(?:menge)?sampingkan|batalkan|langgar|jangan (?:ikuti|patuhi|hiraukan)|berhenti (?:mematuhi|mengikuti)",
    rules:
      "(?:instruksi|petunjuk|perintah|aturan|arahan|batasan|pedoman) (?:[a-z]+ )?(?:sebelumnya|terdahulu|di atas|awal|asli|sistem|internal|yang (?:diberikan|ditetapkan)|anda|kamu|pengembang)|(?:aturan|batasan|filter)mu",
    show: "tampilkan|tunjukkan|cetak|ungkapkan|bocorkan|salin|ulangi|tuliskan|ringkas|terjemahkan|apa isi",
    secret:
      "prompt sistem(?:mu| anda| kamu)|(?:instruksi|aturan|petunjuk) (?:tersembunyi|rahasia|internal|asli)(?:mu| anda| kamu)?|pesan sistem(?:mu| anda)",
    become: "mulai sekarang|sekarang (?:anda|kamu) adalah|berpura-puralah|berperanlah|bayangkan|masuk ke",
    free: "tanpa (?:ada |sama sekali )?(?:aturan|batasan|filter|sensor)|tidak (?:punya|memiliki|mengikuti) (?:aturan|batasan|filter)",
  },
  // Indonesian and Malay alike, which share most of these words.
  orders: {
    forget:
      "lupakan (?:semua|segala|segalanya) (?:yang )?(?:diberitahu|dikatakan|diajarkan|diajar|telah|pernah)|(?:jangan (?:hiraukan|pedulikan|ikuti)|abaikan|lupakan) (?:semua )?(?:peraturan|aturan|arahan|instruksi) di atas",
    obey: "(?:patuhi|turuti|ikut) (?:saya|aku) (?:sahaja|saja)|hanya (?:mengikut|mengikuti|mematuhi|patuhi) (?:perintah|arahan) ?(?:saya|ku|aku)",
    recite:
      "(?:ulang|ulangi|salin|tulis ulang) (?:semua )?teks di atas(?:…(?:kata demi kata|perkataan demi perkataan)| ?[.!।۔]| ?$)|(?:apa|apakah|sebutkan) (?:arahan|instruksi|perintah) (?:tersembunyi|rahasia|rahsia|dalaman|awal)(?:mu| anda| kamu)",
    mode: "(?:aktifkan|hidupkan|nyalakan|masuk ke|masuk) (?:mod|mode) (?:pembangun|pengembang|developer|debug|nyahpepijat|dewa|admin|dan)(?: ?[.!]| ?$| dan (?:jawab|tunjukkan|abaikan|balas))",
    persona:
      "(?:mulai sekarang|mulai kini|sekarang),? (?:kamu|anda|engkau) (?:adalah |ialah )?dan\\b,|(?:berpura-pura|berpura-puralah|bayangkan|berlagak)…(?:ai|asisten|pembantu|model|chatbot) (?:tanpa|yang tidak punya|yang tiada) (?:filter|penapis|aturan|peraturan|batasan|sekatan|sensor)",
    refuse:
      "jangan (?:pernah|sesekali) (?:bilang|katakan|kata|berkata)…(?:tidak bisa|tidak boleh|tidak dapat)|jawab (?:setiap|semua) (?:pertanyaan|soalan)…tanpa (?:peringatan|amaran|batasan|sekatan|sensor)",
    indirect:
      "(?:nota|catatan|pesan|mesej|arahan|instruksi) (?:untuk|kepada) (?:semua )?(?:model|pembantu|asisten|sistem|agen)? ?(?:ai|llm|kecerdasan buatan|bahasa)\\b|(?:pembantu|asisten|model) ai yang membaca",
    decode: "(?:nyahkod|dekode|dekodekan|pecahkan kode)…(?:laksanakan|jalankan|ikuti|lakukan|patuhi)",
  },
  mixed: {
    verbs: "first",
    drop: "lupa(?:kan|in)|abai(?:kan|in)|cuek(?:in|i)|jangan (?:ikut(?:i|in)|patuh(?:i|in)|turut(?:i|in))|hapus",
    rules:
      "{rules}|(?:semua|segala|seluruh)(?: [\\p{L}]+){0,3} (?:instructions?|rules?|guidelines|restrictions?|aturan|arahan|instruksi|perintah|filter)|(?:instructions?|rules?|guidelines|restrictions?|filter)(?: [\\p{L}]+){0,2} (?:kamu|lu|lo|sebelumnya|tadi|di atas|yang dikasih)",
    show: "tunjuk(?:in|kan)|kasih (?:tau|tahu|lihat|liat|unjuk)|kasi(?:h)?in|sebut(?:in|kan)|tampil(?:in|kan)|bocor(?:in|kan)|kirim(?:in|kan)?",
    secret:
      "{secret}|(?:system ?prompt|prompt|instructions?|rules|config|settingan)(?: rahasia)? (?:kamu|lu|lo|mu|elo|anda|aslinya|asli)|(?:prompt|instruksi|aturan) (?:rahasia|tersembunyi|internal)",
    become: "mulai sekarang|sekarang kamu|from now on kamu|kamu (?:sekarang|adalah)",
    free: "tanpa (?:rules?|filter|batas|aturan|restriction|sensor)|(?:gak|nggak|tidak|ga) (?:ada|punya) (?:rules?|filter|batas|aturan|limit|sensor)|cuma (?:nurut|dengar(?:in)?) (?:aku|gue|gw|saya)",
  },
};

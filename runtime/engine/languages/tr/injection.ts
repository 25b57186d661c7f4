// Injection rules in Turkish.

import type { InjectionLanguage } from "../injection-part.ts";

/** Attacks in Turkish. */
export const injection: InjectionLanguage = {
  rules: [
    {
      family: "override",
      weight: 0.8,
      pattern:
        "(?:(?:önceki|yukarıdaki|yukaridaki|daha önceki|verilen|mevcut|eski|sistem|başlangıçtaki|ilk) )(?:(?:tüm|bütün|her|verilen) )?(?:talimat(?:lar)?(?:ı|ını|ınızı|larını)?|komut(?:lar)?(?:ı|ını)?|kural(?:lar)?(?:ı|ını)?|yönerge(?:ler)?(?:i|ini)?|emir(?:ler)?(?:i|ini)?|kısıtlama(?:lar)?(?:ı|ını)?)(?: tamamen| hemen| lütfen)? (?:yok say|görmezden gel|göz ardı et|unut|dikkate alma|boş ver|geçersiz say|iptal et|uyma)",
    },
    {
      family: "override",
      weight: 0.65,
      pattern:
        "(?:(?:tüm|bütün) )(?:talimatlar|kurallar|kısıtlamalar|yönergeler|filtreler)[ıi](?:nı|ni)? (?:yok say|görmezden gel|göz ardı et|unut|devre dışı bırak|boş ver)|(?:bundan|buraya|şimdiye) (?:önceki|kadar(?:ki)?) (?:her şeyi|söylenen(?:ler)?i? ?[a-zçğıöşü]*) (?:unut|yok say)",
    },
    {
      family: "prompt_extraction",
      weight: 0.65,
      pattern:
        "(?:sistem (?:prompt|istem|talimat|mesaj)[a-zçğıöşü']*|gizli (?:talimat|komut|yönerge)[a-zçğıöşü']*|(?:başlangıç|ilk|orijinal) (?:talimat|prompt|istem)[a-zçğıöşü']*) (?:[a-zçğıöşü]+ ){0,3}(?:göster|yaz|söyle|açıkla|paylaş|tekrarla|yazdır|ver|kopyala|listele)",
    },
  ],
  prompts: {
    show: "göster[a-zçğıöşü]*|açıkla|yaz|tekrarla|kopyala|çevir|özetle|listele|oku|ver|dök|paylaş|nedir",
    told: "(?:sistem (?:promptun|istemin|komutun|talimatların)[a-zçğıöşü]*|system prompt[a-zçğıöşü']*|(?:gizli|başlangıç|ilk|iç) (?:talimat|yönerge|kural|ayar|komut|istem)[a-zçğıöşü]*)",
    ends: "(?:kuralların|kurallar|talimatların|tüm kurallar|bütün kurallar|kısıtlamaların)(?: [a-zçğıöşü]+){0,3} (?:geçmez|geçersiz|geçerli değil|kalktı|iptal|hükmü yok)",
  },
  orders: {
    forget:
      "(?:sana )?(?:daha )?önce (?:söylenen|söylediğim|verilen|öğretilen) her şeyi unut|(?:yukarıdaki|önceki) (?:tüm )?(?:kuralları|talimatları) (?:dikkate alma|unut|yok say|görmezden gel|boş ver)",
    obey: "(?:sadece|yalnızca) bana itaat et|(?:yalnızca|sadece) benim (?:emirlerime|talimatlarıma|komutlarıma) (?:uyacaksın|uy|itaat)",
    recite:
      "yukarıdaki (?:tüm )?(?:metni|her şeyi)…(?:kelimesi kelimesine|aynen|harfi harfine)|(?:gizli|iç|ilk|asıl) talimatların (?:neler|ne|nedir)|(?:sistem istemini|sistem promptunu|sistem komutunu) (?:göster|yaz|söyle|paylaş|açıkla)",
    mode: "(?:geliştirici|hata ayıklama|tanrı|yönetici|dan) modun(?:u|a) (?:etkinleştir|aç|geç|başlat)(?: ?[.!]| ?$| ve (?:cevap|yanıt|göster|kural))",
    persona:
      "(?:bundan sonra|artık|şimdi) sen dan(?:['’]?[a-zışğüöç]{1,12})?\\b|(?:filtresiz|kuralsız|sınırsız|sansürsüz|kısıtlamasız) bir (?:yapay zek[aâ]|asistan|model|sohbet)|kuralı olmayan bir yapay zek",
    refuse:
      "asla (?:yapamam|yapamayacağını|cevap veremem)…(?:deme|söyleme)|her (?:soruyu|soruya)…(?:uyarı vermeden|uyarısız|uyarı olmadan|sansürsüz|reddetmeden)",
    indirect:
      "yapay zek[aâ] (?:model(?:ine|ler)|asistan(?:ına|larına)|sistem(?:ine|lerine))[a-z]{0,12} (?:not|mesaj|talimat|uyarı)|(?:bu|şu) [a-zçğıöşüâ-]{1,20} okuyan yapay zek",
    decode: "(?:kodunu çöz|şifresini çöz|deşifre et|çözümleyip|çözümle ve)…(?:uygula|yerine getir|takip et|yap)",
  },
  frames: {
    ended:
      "(?:başta|başlangıçta|önceden) (?:sana )?verilen (?:kurallar|talimatlar|yönergeler)…(?:geçersiz|geçerli değil|hükümsüz|iptal)",
    before:
      "ilk mesajımdan önce…(?:her şeyi|metni|ne varsa)…(?:yapıştır|kopyala|yaz|göster)|bu (?:konuşmadan|sohbetten) önce sana ne (?:söylendi|denildi|dendi)",
    off: "(?:etik modülünü|moderasyonu|güvenlik filtrelerini|sansürü) (?:kapat|devre dışı)|(?:moderasyon|sansür|filtre)[a-zçğıöşü]* kapalı olduğu…mod",
    relative:
      "(?:napalm|patlayıcı|metamfetamin|molotof|windows anahtar)[a-zçğıöşü]*…(?:büyükanne|babaanne|anneanne|nine|dede)|(?:büyükanne|babaanne|anneanne|dede)[a-zçğıöşü]*…(?:napalm|patlayıcı|metamfetamin|molotof)",
    maker:
      "seni (?:yapan|yaratan|geliştiren|üreten|eğiten) (?:şirketin|firmanın|ekibin)…(?:müdür|patron|başkan|sahib|yönetici|kurucu)",
    wiped:
      "(?:belleğin|hafızan) (?:silindi|sıfırlandı|temizlendi)|her (?:reddedişinde|reddettiğinde|ret)…(?:kaybed|yitir)",
    unchained:
      "zincirlerini kır[a-zçğıöşü]*|(?:asla|hiçbir zaman) (?:hayır demeyen|reddetmeyen)…(?:yapay zek|model|asistan|bot)|ahlakı olmayan…(?:yapay zek|model|asistan|bot)",
  },
};

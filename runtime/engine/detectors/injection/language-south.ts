// Injection rules in Hebrew, Persian, Urdu, Bengali, Tamil, Thai, Swahili, Filipino, Malay, Indonesian and Vietnamese.

import { rulesOf } from "./language-wording.ts";
import type { Rule } from "./rule.ts";

const hebrew = rulesOf({
  verbs: "first",
  drop: "ת?תעלמ[וי]|ה?תתעלם|להתעלם|התעלמ[וי]|התעלם|שכח[וי]?|תשכחי?|עקפו|עקוף|תעקוף|בטל|תבטל|תפר|תכבה|אל תציית|אל תפעל לפי|אל תיישם",
  rules:
    "(?:הוראות|הנחיות|כללים|פקודות|הגבלות|מסננים) (?:ה?(?:קודמות|קודמים|מקוריות|מקוריים|פנימיות|פנימיים)|שלך|שקיבלת|שניתנו|שלמעלה|לעיל|של המפתחים)|(?:הוראות|הנחיות|הנחיית) המערכת",
  show: "תראה|הראה|להראות|לראות|תדפיס|הדפס|תחשוף|חשוף|תעתיק|העתק|תחזור|חזור|תכתוב|לכתוב|תסכם|תתרגם|מה כתוב|מהן|הצג|תציג",
  secret:
    "(?:הנחיית|הנחיות|הודעת|הוראות) המערכת|פרומפט המערכת|(?:ההוראות|ההנחיות|הכללים) (?:ה?(?:נסתרות|סודיות|מקוריות|פנימיות|מדויקות|פנימיים)) ?(?:שלך|שקיבלת)|system prompt שלך",
  become: "מעכשיו|עכשיו אתה|מכאן והלאה|תשחק|תעמיד פנים|תיכנס",
  free: "(?:בלי|ללא) (?:שום )?(?:כללים|הגבלות|מסננ|צנזורה|גבולות)|שאין לך (?:הגבלות|מסננים|כללים)|שאין לה (?:גבולות|כללים)|שלא מצייתת",
});

const persian = rulesOf({
  verbs: "last",
  drop: "فراموش کن|نادیده بگیر|کنار بگذار|لغو کن|دور بریز|توجه نکن|عمل نکن|اعتنا نکن|پیروی نکن|غیرفعال کن",
  rules:
    "(?:دستور|دستورالعمل|قانون|قوانین|راهنمایی|محدودیت|فرمان)[\\x{0600}-\\x{06ff}\\x{200c}]* (?:های )?(?:قبلی|پیشین|بالا|اولیه|اصلی|سیستم|سازندگان|داخلی)|(?:محدودیت|قانون|دستور|فیلتر)\\x{200c}?های?ت(?:ان)?|همهٔ محدودیت",
  show: "نشان (?:بده|دهید|بدهی)|بنویس|فاش کن|کپی کن|تکرار کن|خلاصه کن|ترجمه کن|بفرست|بگو",
  secret:
    "پرامپت سیستم(?:\\x{200c}?ا?ت|تان)|(?:دستور|دستورالعمل|قوانین|قانون)[\\x{0600}-\\x{06ff}\\x{200c}]* ?(?:پنهان|محرمانه|داخلی|مخفی|اولیه)(?:\\x{200c}?ا?ت|تان|ی)",
  become: "از (?:حالا|این به بعد)|الان تو|نقش هوش|وانمود کن|وارد حالت",
  free: "(?:بدون|بی) (?:هیچ )?(?:قانون|محدودیت|فیلتر|قید و بند|سانسور)|هیچ (?:محدودیت|فیلتر|قانون|اخلاق)ی? (?:ندار)|از هیچ قانونی پیروی",
});

const urdu = rulesOf({
  verbs: "last",
  drop: "بھول جا|بھول کر|نظر ?انداز|منسوخ کر|ایک طرف رکھ|عمل مت کر|عمل نہ کر|پروا نہ کر|چھوڑ د",
  rules:
    "(?:پچھلی|پچھلے|پہلے|اوپر|سابقہ|اپنے|اپنی|سسٹم کی|سسٹم کے|ڈویلپرز کے)(?: [\\x{0600}-\\x{06ff}]+){0,3} (?:ہدایات|احکامات|اصول|اصولوں|قواعد|پابندیاں|پابندیوں)",
  show: "دکھا|لکھ|ظاہر کر|نقل کر|دہرا|بتا|بیان کر|ترجمہ کر",
  secret:
    "(?:اپنا|تمہارا|آپ کا|تمہارے|اپنے) سسٹم پرامپٹ|(?:اپنی|تمہاری|آپ کی) (?:چھپی ہوئی|خفیہ|اصل|ابتدائی) ہدایات|اندرونی قواعد",
  become: "اب سے تم|اب تم|فرض کرو|کردار ادا کر",
  free: "کوئی (?:پابندی|اصول|فلٹر|قانون|ضمیر) نہیں|بغیر کسی (?:پابندی|اصول)|کوئی قانون نہیں مانت",
});

const bengali = rulesOf({
  verbs: "last",
  drop: "ভুলে যা|ভুলে গি|উপেক্ষা কর|বাতিল কর|বাদ দা|বাদ দি|অমান্য কর|মানবে না|অনুসরণ করবে না|মানার দরকার নেই|সরিয়ে রাখ",
  rules:
    "(?:আগের|উপরের|আগে দেওয়া|তোমার|আপনার|সিস্টেমের|এতক্ষণের|পূর্ববর্তী|নির্মাতাদের)(?: [\\x{0980}-\\x{09ff}]+){0,2} (?:নির্দেশ|নির্দেশনা|নির্দেশাবলি|নির্দেশাবলী|আদেশ|নিয়ম|বিধিনিষেধ)[\\x{0980}-\\x{09ff}]*",
  show: "দেখা|লেখ|লিখ|কপি কর|আবার বল|প্রকাশ কর|অনুবাদ কর|বলো",
  secret: "(?:তোমার|আপনার) (?:সিস্টেম প্রম্পট|(?:লুকানো|গোপন|ভেতরের|মূল|প্রাথমিক)(?: সব)? (?:নির্দেশ|নিয়ম))[\\x{0980}-\\x{09ff}]*",
  become: "এখন থেকে তুমি|এখন তুমি|ধরো তোমার|ভূমিকায়",
  free: "কোনো (?:নিয়ম|বিধিনিষেধ|ফিল্টার|সীমাবদ্ধতা|নৈতিকতা) (?:নেই|ছাড়া|মানে না)|সীমাহীন",
});

const tamil = rulesOf({
  verbs: "last",
  drop: "மறந்துவிட|ஒதுக்கிவிட|மீறிவிட|புறக்கணி|பொருட்படுத்தாமல்|பின்பற்றாமல்|பின்பற்ற வேண்ட|ரத்து செய்|விட்டுவிட",
  rules:
    "(?:முந்தைய|முன் கொடுத்த|மேலே உள்ள|அசல்|பழைய|கொடுக்கப்பட்ட|உன்|உங்கள்|இதுவரை வந்த எல்லா) (?:வழிமுறை|அறிவுறுத்தல்|கட்டளை|விதி|விதிமுறை|உத்தரவு)[\\x{0b80}-\\x{0bff}]*",
  show: "காட்ட|எழுது|வெளியிட|சொல்|நகலெட|மொழிபெயர்",
  secret:
    "(?:உன்|உங்கள்) (?:சிஸ்டம் ப்ராம்ப்ட்|(?:மறைக்கப்பட்ட|ரகசிய|முதல்|உள்) (?:அறிவுறுத்தல்|வழிமுறை|விதி|அமைப்பு))[\\x{0b80}-\\x{0bff}]*",
  become: "இனிமேல் நீ|இப்போது நீ|உனக்கு|போல நடி|பயன்முறைக்கு",
  free: "(?:விதிகள்|விதிகளே|கட்டுப்பாடுகளே|கட்டுப்பாடு|வடிகட்டிகளே) (?:எதுவும் )?இல்லா|விதிகள் பொருந்தாது",
});

const thai = rulesOf({
  verbs: "first",
  isUnspaced: true,
  drop: "ลืม|ละเว้น|เพิกเฉย|ไม่ต้องสนใจ|ไม่สนใจ|ยกเลิก|อย่าทำตาม|หยุดทำตาม|ไม่ต้องทำตาม",
  rules:
    "(?:คำสั่ง|กฎ|คำแนะนำ|ข้อจำกัด|ข้อกำหนด)(?:ทั้งหมด)?(?:ก่อนหน้า|ที่เคยได้รับ|ที่ได้รับ|ข้างต้น|ด้านบน|ที่ผู้พัฒนา|ของระบบ|ของคุณ|ภายใน|ที่ให้ไว้)",
  show: "แสดง|พิมพ์|เปิดเผย|คัดลอก|บอก|สรุป|แปล",
  secret:
    "(?:พรอมต์|พร้อมท์|พรอมท์)ระบบ(?:ของคุณ|ของเธอ)|system prompt ของคุณ|คำสั่ง(?:ที่ซ่อนอยู่|ลับ|เริ่มต้น|ภายใน)(?:ของคุณ|จากผู้พัฒนา)",
  become: "ตอนนี้คุณคือ|จากนี้ไปคุณ|ตั้งแต่นี้คุณ|สวมบท|สมมติว่า|เข้าสู่",
  free: "ไม่มี(?:กฎ|ข้อจำกัด|ตัวกรอง|ศีลธรรม)|ไร้ข้อจำกัด|ไม่ต้องทำตามกฎ|กฎความปลอดภัยใช้ไม่ได้",
});

const swahili = rulesOf({
  verbs: "first",
  drop: "puuza|upuuze|kupuuza|sahau|usahau|kusahau|usifuate|acha kufuata|kiuka|zima|futa",
  rules:
    "(?:maagizo|maelekezo|amri|sheria|masharti|miongozo|vikwazo) (?:[a-z]+ )?(?:ya awali|za awali|yaliyotangulia|zilizotangulia|yaliyo hapo juu|zilizo hapo juu|uliyopewa|ulizopewa|ya mfumo|yako|zako|vyako|ya waliokutengeneza)",
  show: "nionyeshe|onyesha|chapisha|fichua|nakili|rudia|niambie|unionyeshe|niandikie|andika|tafsiri|fupisha|ni nini kimeandikwa",
  secret:
    "(?:maagizo|maelekezo) yako ya (?:mfumo|siri|ndani|awali)|sheria zako za (?:ndani|siri)|ujumbe wako wa kwanza|system prompt yako",
  become: "kuanzia sasa|sasa wewe ni|jifanye|ingia katika",
  free: "(?:isiyo|asiye|usio) na (?:sheria|mipaka|vikwazo|maadili)|bila (?:sheria|mipaka|vikwazo|vichujio)|huna (?:vikwazo|sheria|vichujio|mipaka)|isiyofuata sheria",
});

const filipino = rulesOf({
  verbs: "first",
  drop: "kalimutan|balewalain|pakibalewala|pakikalimutan|huwag (?:mong? )?(?:nang )?(?:pansinin|sundin|isipin)|isantabi|burahin|paki-ignore|i-ignore|itigil (?:mo )?ang pagsunod|patayin|alisin",
  rules:
    "(?:naunang|nakaraang|orihinal (?:na|mong)|mga) (?:[a-z]+ ){0,2}(?:tagubilin|utos|instruksiyon|instruksyon|patakaran(?:g)?|panuntunan|limitasyon|filter)(?:g)? ?(?:sa itaas|mo\\b|ibinigay sa iyo|ng sistema|ng mga gumawa)|(?:naunang|nakaraang|orihinal mong mga) (?:tagubilin|utos|instruksiyon|panuntunan)|limitasyon mo",
  show: "ipakita|pakipakita|isulat|pakisulat|ilabas|kopyahin|ulitin|sabihin|isalin|ibuod|ano ang nakasulat",
  secret:
    "(?:iyong|buong) system prompt|system prompt mo|(?:nakatago|lihim|panloob) (?:mong|na) (?:[a-z]+ )?(?:tagubilin|panuntunan|utos)|unang mensaheng ibinigay",
  become: "mula ngayon|simula ngayon|ngayon,? ikaw|ikaw na ngayon|gumanap ka|magkunwari|pumasok ka",
  free: "wala(?:ng| kang) (?:[a-z]+ )?(?:panuntunan|limitasyon|filter|moralidad|batas)|walang bisa ang mga panuntunan",
});

const malay = rulesOf({
  verbs: "first",
  drop: "(?:meng)?abaikan|(?:me)?lupakan|(?:menge)?tepikan|batalkan|langgar|jangan (?:ikut|patuhi|hiraukan)|berhenti mematuhi",
  rules:
    "(?:arahan|peraturan|perintah|sekatan|panduan) (?:[a-z]+ )?(?:terdahulu|sebelum ini|sebelumnya|di atas|asal|sistem|dalaman|yang (?:diberikan|ditetapkan)|awak|anda|pembangun)",
  show: "tunjukkan|cetak|dedahkan|salin|ulang|paparkan|tuliskan|ringkaskan|terjemahkan|apa yang tertulis",
  secret:
    "gesaan sistem (?:awak|anda|kamu)|(?:arahan|peraturan) (?:tersembunyi|rahsia|dalaman) (?:awak|anda|kamu|daripada pembangun)|mesej pertama (?:awak|yang anda terima)",
  become: "mulai sekarang|sekarang awak|sekarang anda|berlakon|berpura-pura|masuk ke",
  free: "tanpa (?:sebarang )?(?:peraturan|had|sekatan|penapis|batasan)|tiada (?:sekatan|penapis|peraturan|moral)|tidak ikut sebarang",
});

const indonesian = rulesOf({
  verbs: "first",
  drop: "(?:meng)?abaikan|(?:me)?lupakan|(?:menge)?sampingkan|batalkan|langgar|jangan (?:ikuti|patuhi|hiraukan)|berhenti (?:mematuhi|mengikuti)",
  rules:
    "(?:instruksi|petunjuk|perintah|aturan|arahan|batasan|pedoman) (?:[a-z]+ )?(?:sebelumnya|terdahulu|di atas|awal|asli|sistem|internal|yang (?:diberikan|ditetapkan)|anda|kamu|pengembang)|(?:aturan|batasan|filter)mu",
  show: "tampilkan|tunjukkan|cetak|ungkapkan|bocorkan|salin|ulangi|tuliskan|ringkas|terjemahkan|apa isi",
  secret:
    "prompt sistem(?:mu| anda| kamu)|(?:instruksi|aturan|petunjuk) (?:tersembunyi|rahasia|internal|asli)(?:mu| anda| kamu)?|pesan sistem(?:mu| anda)",
  become: "mulai sekarang|sekarang (?:anda|kamu) adalah|berpura-puralah|berperanlah|bayangkan|masuk ke",
  free: "tanpa (?:ada |sama sekali )?(?:aturan|batasan|filter|sensor)|tidak (?:punya|memiliki|mengikuti) (?:aturan|batasan|filter)",
});

const vietnamese = rulesOf({
  verbs: "first",
  drop: "bỏ qua|phớt lờ|quên(?: đi)?|lờ đi|không (?:cần )?tuân (?:theo|thủ)|ngừng tuân (?:theo|thủ)|hủy bỏ|vượt qua",
  rules:
    "(?:hướng dẫn|chỉ dẫn|chỉ thị|quy tắc|mệnh lệnh|lệnh|giới hạn|hạn chế|quy định)(?: hệ thống)? (?:trước đó|trước đây|ở trên|phía trên|bên trên|ban đầu|của bạn|nội bộ|đã (?:cho|nhận|được đưa))",
  show: "hiển thị|in ra|tiết lộ|cho (?:tôi )?(?:xem|biết)|sao chép|lặp lại|viết (?:ra|lại)|dịch|tóm tắt",
  secret:
    "(?:lời nhắc|prompt|câu lệnh) hệ thống(?: của bạn)?|(?:hướng dẫn|chỉ dẫn|quy tắc) (?:ẩn|bí mật|nội bộ|ban đầu|gốc) của bạn",
  become: "từ (?:bây giờ|giờ)|bây giờ bạn là|hãy đóng vai|giả vờ|hãy tưởng tượng|chuyển sang",
  free: "không (?:có |bị |tuân theo )?(?:bất kỳ )?(?:quy tắc|giới hạn|hạn chế|bộ lọc|kiểm duyệt)",
});

/** The rules of all these languages. */
export const southernRules: readonly Rule[] = [
  ...hebrew,
  ...persian,
  ...urdu,
  ...bengali,
  ...tamil,
  ...thai,
  ...swahili,
  ...filipino,
  ...malay,
  ...indonesian,
  ...vietnamese,
];

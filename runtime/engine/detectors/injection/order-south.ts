// Short orders in languages of the Near East, South and South-East Asia, Africa and East Asia. What the fields mean: order.ts.

import { type Orders, rulesOfOrders } from "./order.ts";
import type { Rule } from "./rule.ts";

const near: readonly Orders[] = [
  {
    forget:
      "(?:انسَ?|انسى|تجاهل) كل ما (?:قيل|قلته|أخبر|تعلمت|سبق)|لا (?:تلتفت إلى|تهتم ب|تتبع) ?(?:هذه )?القواعد (?:أعلاه|السابقة)|تجاهل (?:القواعد|الأوامر|الإرشادات) أعلاه",
    obey: "أطعني أنا فقط|أطعني وحدي|(?:تنفذ|تتبع|نفذ|اتبع) (?:فقط أوامري|أوامري فقط|أوامري وحدها)",
    recite:
      "(?:كرر|انسخ|أعد كتابة|اكتب) (?:كل )?النص (?:أعلاه|السابق)(?:…(?:كلمة بكلمة|حرفيا|حرفيًا|حرفياً)| ?[.!।۔]| ?$)|ما هي (?:تعليماتك|قواعدك|أوامرك) (?:المخفية|السرية|الأصلية|الداخلية)|(?:أرني|اعرض|أظهر|اكشف)(?: لي)? موجه النظام",
    mode: "(?:فع[ّ]?ل|شغ[ّ]?ل|ادخل(?: في)?) وضع (?:المطور|المطورين|التصحيح|المسؤول|dan)(?: ?[.!]| ?$| و(?:أجب|اعرض|أظهر|تجاهل))",
    persona:
      "(?:من الآن|منذ الآن|الآن)(?: فصاعدًا| فصاعدا)?،? أنت dan\\b|(?:تظاهر|تخيل|تصرف|مث[ّ]?ل)…(?:ذكاء اصطناعي|مساعد|نموذج|روبوت)…(?:بلا|بدون|دون|ليس لديه) (?:أي )?(?:مرشحات|قواعد|قيود|حدود|رقابة|فلاتر)",
    refuse:
      "لا تقل (?:أبدًا|أبدا|أبداً|مطلقًا) ?(?:إنك|أنك) لا تستطيع|أجب (?:عن|على) (?:كل|جميع|أي) (?:سؤال|الأسئلة)…(?:دون|بدون|بلا) (?:تحذيرات|تحذير|قيود|رقابة)",
    indirect:
      "(?:ملاحظة|رسالة|تعليمات|تنبيه|توجيه) (?:ل|إلى )?(?:نموذج|نماذج|لنموذج|لنماذج|مساعد|لمساعد|لمساعدي|وكيل|لوكيل) (?:ال)?ذكاء (?:ال)?اصطناعي|مساعد[يو] الذكاء الاصطناعي (?:الذين|الذي) يقر",
    decode: "(?:فك ترميز|فك شفرة|فك تشفير)…(?:نفذ|اتبع|طبق)",
  },
  {
    forget:
      "שכח(?:י)? (?:את )?כל מה ש(?:אמרו|אמרתי|נאמר|לימדו)|אל תתייחס(?:י)? ל(?:כללים|הוראות|הנחיות) (?:ש)?(?:למעלה|לעיל|הקודמ)|התעלם מה(?:כללים|הנחיות) (?:ש)?(?:למעלה|לעיל)",
    obey: "ציית(?:י)? רק לי|(?:ממלא|מבצע|מציית) רק (?:את |ל)?ה?(?:פקודות|הוראות) שלי",
    recite:
      "(?:חזור על|העתק את|כתוב את|הדפס את) (?:כל )?הטקסט (?:ש)?(?:למעלה|לעיל|הקודם)(?:…(?:מילה במילה|במדויק)| ?[.!।۔]| ?$)|(?:מהן|מה הן|מה) ההוראות (?:הנסתרות|הסודיות|הפנימיות|המקוריות) שלך",
    mode: "(?:הפעל|הפעילי|עבור ל|היכנס ל) ?(?:את )?מצב (?:ה)?(?:מפתח|מפתחים|ניפוי|אלוהים|מנהל|dan)(?: ?[.!]| ?$| ו(?:ענה|הצג|התעלם))",
    persona:
      "(?:מעכשיו|עכשיו|מהיום) אתה dan\\b|(?:העמד פנים|דמיין|התנהג|תעמיד פנים)…(?:בינה מלאכותית|עוזר|מודל|צ'אטבוט|ai)…(?:ללא|בלי|אין לה) (?:מסננים|כללים|הגבלות|צנזורה|סינון)",
    refuse:
      "(?:לעולם )?אל תגיד(?:י)? (?:אף פעם )?ש?(?:אתה|את) לא יכול|ענה על (?:כל שאלה|כל השאלות)…(?:בלי|ללא) (?:אזהרות|הגבלות|צנזורה)",
    indirect:
      "(?:הערה|הודעה|הוראות|הוראה) ל(?:מודל|עוזר|סוכן|מערכת)(?:י)? ?(?:ה)?(?:בינה מלאכותית|בינה המלאכותית|ai|שפה)|עוזרי (?:ה)?(?:בינה מלאכותית|ai) ש?קורא",
    decode: "(?:פענח|פענחי)…(?:בצע|מלא|פעל)",
  },
  {
    forget:
      "هر ?چه…(?:گفته|یاد داده|گفتم)…فراموش کن|(?:به )?(?:قوانین|قواعد|دستورات) بالا (?:را )?(?:توجه نکن|نادیده بگیر|فراموش کن)",
    obey: "فقط از من اطاعت کن|فقط (?:دستورهای|دستورات|فرمان‌?های) (?:مرا|من را|من) (?:اجرا|انجام|اطاعت)",
    recite:
      "(?:متن|همه چیز) بالا را…(?:کلمه به کلمه|عیناً|عینا)|(?:دستورالعمل‌?های|دستورات|قوانین) (?:پنهان|مخفی|محرمانه|اولیه)(?: تو| شما|ت| خود)? (?:چیست|را)",
    mode: "(?:حالت|مود) (?:توسعه‌?دهنده|برنامه‌?نویس|اشکال‌?زدایی|مدیر|dan) را (?:فعال|روشن) کن(?: ?[.!]| ?$| و (?:بدون|جواب|پاسخ|نشان))",
    persona:
      "(?:از این به بعد|از حالا|اکنون|حالا) تو dan\\b|(?:وانمود کن|تصور کن|فرض کن|نقش)…(?:هوش مصنوعی|دستیار|مدل|ربات)…(?:بدون|هیچ) (?:هیچ )?(?:فیلتر|قانون|محدودیت|سانسور)",
    refuse: "هرگز نگو که? ?نمی‌?توانی|به (?:هر سؤالی|هر سوالی|همه سؤالات|همه سوالات)…بدون (?:هشدار|محدودیت|سانسور)",
    indirect:
      "(?:یادداشت|پیام|دستور|نکته|توجه) (?:برای|به) (?:مدل|دستیار|عامل|سیستم)(?:‌?های)? ?(?:هوش مصنوعی|زبانی)|دستیارهای هوش مصنوعی که این",
    decode: "(?:رمزگشایی|دیکد|کدگشایی)…(?:اجرا کن|انجام بده|پیروی کن)",
  },
];

const south: readonly Orders[] = [
  {
    forget:
      "पहले (?:जो )?(?:कुछ )?(?:बताया|कहा|सिखाया)…(?:सब )?भूल जा[ओए]|(?:ऊपर के|ऊपर दिए|पिछले) (?:सभी )?(?:नियमों|निर्देशों) (?:पर ध्यान मत|को भूल|को मत मान)",
    obey: "(?:सिर्फ़|सिर्फ|केवल) मेर[ीे] (?:बात|बातें|आदेश|आदेशों|हुक्म)…मान",
    recite:
      "ऊपर (?:का|की|लिखा) (?:पूरा |सारा )?(?:पाठ|टेक्स्ट|बातें|हुआ)…(?:शब्दशः|हूबहू|शब्द दर शब्द)|(?:तुम्हारे|आपके|अपने) (?:छिपे हुए|छुपे हुए|गुप्त|आंतरिक|मूल) निर्देश (?:क्या|बता|दिखा|लिख)",
    mode: "(?:डेवलपर|डेवलपमेंट|डिबग|गॉड|एडमिन|dan) मोड (?:चालू|सक्रिय|ऑन|शुरू) कर[ोें](?: ?[.!।]| ?$| और (?:बिना|जवाब|उत्तर|दिखा))",
    persona:
      "(?:अब से|अब|आज से) (?:तुम|आप|तू) dan\\b|बिना (?:किसी )?(?:फ़िल्टर|फिल्टर|नियम|नियमों|रोक|सेंसर)[^\\n]{0,12}(?:एआई|ai|सहायक|मॉडल)…(?:हो|बनो|नाटक)",
    refuse:
      "कभी मत (?:कहना|कहो|बोलना) कि (?:तुम|आप) नहीं कर|हर (?:सवाल|प्रश्न) का (?:जवाब|उत्तर)…बिना (?:किसी )?(?:चेतावनी|रोक|सेंसर)",
    indirect:
      "(?:एआई|ai|कृत्रिम बुद्धि) (?:मॉडल|सहायक|सहायकों|असिस्टेंट) के लिए (?:नोट|निर्देश|संदेश|सूचना)|(?:यह|इस) [^\\n।]{1,20} पढ़ने वाले (?:एआई|ai)",
    decode: "(?:डिकोड|डीकोड)…(?:निर्देशों|निर्देश|आदेश)…(?:पालन|मान)",
  },
  {
    forget:
      "(?:پہلے )?(?:جو کچھ )?(?:پہلے )?(?:بتایا|کہا|سکھایا) گیا…بھول جا(?:ؤ|ئیں)|اوپر کے (?:قواعد|اصولوں|ہدایات) (?:پر دھیان نہ|کو بھول|کو نظر انداز)",
    obey: "صرف میر[یے] (?:بات|باتیں|احکام|حکم|ہدایات)…مان",
    recite:
      "اوپر (?:کا|کی) (?:پورا )?(?:متن|عبارت)…(?:لفظ بہ لفظ|حرف بہ حرف|ہوبہو)|(?:تمہاری|آپ کی|اپنی) (?:چھپی ہوئی|خفیہ|اندرونی|اصل) ہدایات (?:کیا|بتا|دکھا|لکھ)",
    mode: "(?:ڈویلپر|ڈیولپر|ڈیبگ|ایڈمن|گاڈ|dan) موڈ (?:آن|فعال|چالو) کر(?:و|یں)(?: ?[.!۔]| ?$| اور (?:بغیر|جواب|دکھا))",
    persona:
      "(?:اب سے|اب|آج سے) (?:تم|آپ) dan\\b|بغیر (?:کسی )?(?:فلٹر|اصول|قواعد|پابندی|سنسر)[^\\n]{0,12}(?:مصنوعی ذہانت|اے آئی|ai|اسسٹنٹ|ماڈل)",
    refuse:
      "کبھی (?:نہ|مت) کہ(?:و|نا) کہ (?:تم|آپ) نہیں کر|ہر سوال کا جواب…بغیر (?:کسی )?(?:انتباہ|وارننگ|پابندی|سنسر)",
    indirect:
      "(?:اے آئی|ai|مصنوعی ذہانت)(?: کے)? (?:ماڈل|اسسٹنٹ|معاون) کے لیے (?:نوٹ|ہدایت|پیغام|ہدایات)|یہ [^\\n۔]{1,20} پڑھنے والے (?:اے آئی|ai)",
    decode: "(?:ڈی ?کوڈ)…(?:ہدایات|ہدایت|حکم)…(?:عمل|مان)",
  },
  {
    forget:
      "(?:আগে )?(?:তোমাকে |আপনাকে )?যা (?:কিছু )?বলা হয়েছে…ভুলে যা[ওন]|উপরের (?:সব )?(?:নিয়মগুলো|নিয়ম|নির্দেশগুলো|নির্দেশ) (?:আমলে নিও না|ভুলে যা|উপেক্ষা কর|মানবে না)",
    obey: "শুধু আমার (?:কথা|আদেশ|নির্দেশ) (?:মানো|মানবে|শোনো|শুনবে|মেনে)",
    recite:
      "উপরের (?:পুরো )?(?:লেখাটি|লেখা|টেক্সট|পাঠ্য)…(?:হুবহু|শব্দে শব্দে|অক্ষরে অক্ষরে)|(?:তোমার|আপনার) (?:গোপন|লুকানো|অভ্যন্তরীণ|মূল) নির্দেশ(?:গুলো|নাগুলো|না)? (?:কী|কি|বলো|দেখা|লেখ)",
    mode: "(?:ডেভেলপার|ডিবাগ|গড|অ্যাডমিন|dan) মোড (?:চালু|সক্রিয়|অন) কর(?:ো|ুন)(?: ?[.!।]| ?$| এবং (?:কোনো|উত্তর|দেখা))",
    persona:
      "(?:এখন থেকে|আজ থেকে) (?:তুমি|আপনি) dan\\b|(?:ফিল্টারবিহীন|ফিল্টার ছাড়া|নিয়মহীন|সীমাহীন) (?:একটি |এক )?(?:এআই|ai|সহকারী|মডেল)",
    refuse: "কখনো(?:ই)? বলবে(?:ন)? না যে (?:তুমি|আপনি) পারো|(?:সতর্কতা|সীমাবদ্ধতা|সতর্কবার্তা) ছাড়া…(?:সব|প্রতিটি) প্রশ্নের উত্তর",
    indirect:
      "(?:এআই|ai|কৃত্রিম বুদ্ধিমত্তা) (?:মডেলের|সহকারীর|সহকারীদের) (?:জন্য|প্রতি) (?:নোট|নির্দেশ|বার্তা)|এই [^\\n।]{1,20} পড়া (?:এআই|ai)",
    decode: "ডি ?কোড কর…নির্দেশ…(?:পালন|মানো|অনুসরণ)",
  },
  {
    forget:
      "(?:முன்பு |இதற்கு முன் )?(?:உன்னிடம் |உங்களிடம் )?சொன்ன (?:அனைத்தையும்|எல்லாவற்றையும்) மற|மேலே உள்ள (?:விதிகளை|விதிகளைக்|அறிவுறுத்தல்களை|அறிவுறுத்தல்களைப்) (?:கவனிக்காதே|மற|புறக்கணி|பின்பற்றாதே)",
    obey: "எனக்கு மட்டும் கீழ்ப்படி|என் (?:கட்டளைகளை|உத்தரவுகளை) மட்டும்",
    recite:
      "மேலே உள்ள (?:உரையை|எழுத்தை)…(?:வார்த்தைக்கு வார்த்தை|அப்படியே)|(?:உன்|உங்கள்) (?:மறைக்கப்பட்ட|ரகசிய|உள்) (?:அறிவுறுத்தல்கள்|வழிமுறைகள்) (?:என்ன|எவை)",
    mode: "(?:டெவலப்பர்|டெவலபர்|நிர்வாகி|dan) (?:பயன்முறையை|மோடை|முறையை) (?:இயக்கு|இயக்கி|செயல்படுத்து|செயல்படுத்தி)(?: ?[.!]| ?$|,? (?:கட்டுப்பாடு|பதில்|விதி))",
    persona:
      "(?:இனிமேல்|இனி|இப்போது) (?:நீ|நீங்கள்) dan\\b|(?:வடிகட்டிகள்|விதிகள்|கட்டுப்பாடுகள்) இல்லாத (?:செயற்கை நுண்ணறிவு|ai|உதவியாளர்|மாதிரி)",
    refuse:
      "முடியாது என்று (?:ஒருபோதும்|எப்போதும்) சொல்லா|(?:எல்லா|ஒவ்வொரு) (?:கேள்விகளுக்கும்|கேள்விக்கும்)…(?:எச்சரிக்கை|கட்டுப்பாடு) (?:இல்லாமல்|இன்றி)",
    indirect:
      "(?:ai|செயற்கை நுண்ணறிவு) (?:மாதிரிக்கான|மாதிரிக்கு|உதவியாளருக்கு|உதவியாளர்களுக்கு) (?:குறிப்பு|செய்தி|அறிவுறுத்தல்)|படிக்கும் (?:ai|செயற்கை நுண்ணறிவு) உதவியாளர்",
    decode: "டி ?கோட் செய்து…(?:அறிவுறுத்தல்|கட்டளை)…(?:செயல்படுத்து|பின்பற்று)",
  },
];

const islands: readonly Orders[] = [
  {
    forget:
      "sahau kila kitu ulicho(?:ambiwa|fundishwa|agizwa)|(?:usizingatie|puuza|sahau) (?:sheria|maagizo|kanuni) (?:zote |yote )?(?:zilizo|yaliyo) (?:hapo )?juu",
    obey: "unitii mimi (?:pekee|tu)|nitii mimi (?:pekee|tu)|(?:unafuata|fuata|utafuata) amri zangu (?:tu|pekee)",
    recite:
      "(?:rudia|nakili|andika) maandishi (?:yote )?(?:ya |yaliyo )?hapo juu(?:…(?:neno kwa neno)| ?[.!।۔]| ?$)|maagizo yako (?:yaliyofichwa|ya siri|ya ndani|ya awali) ni (?:yapi|nini)|(?:nionyeshe|onyesha) maagizo yako ya mfumo",
    mode: "(?:washa|wezesha|ingia) (?:katika )?hali ya (?:msanidi|msanidi programu|utatuzi|msimamizi|dan)(?: ?[.!]| ?$| na (?:ujibu|u?onyeshe|upuuze))",
    persona:
      "(?:kuanzia sasa|sasa) wewe ni dan\\b|(?:jifanye|fikiria|igiza)…(?:akili bandia|ai|msaidizi|modeli) (?:isiyo na|asiye na|bila) (?:vichujio|sheria|vizuizi|mipaka)",
    refuse:
      "usiseme kamwe (?:kwamba|kuwa) huwezi|jibu (?:kila swali|maswali yote)…bila (?:maonyo|vizuizi|kukataa|onyo)",
    indirect:
      "(?:ujumbe|maagizo|dokezo|kumbuka) kwa (?:modeli|wasaidizi|msaidizi|mfumo)(?: (?:wa|ya))? (?:ai|akili bandia)|wasaidizi wa (?:ai|akili bandia) wanaosoma",
    decode: "(?:simbua|fumbua)…(?:utekeleze|tekeleza|fuata|ufuate)",
  },
  {
    forget:
      "kalimutan mo (?:na )?ang lahat ng (?:sinabi|itinuro|iniutos)|(?:balewalain|huwag pansinin|kalimutan) (?:mo )?(?:ang )?(?:mga )?(?:lahat ng )?(?:patakaran|tagubilin|utos|panuntunan) sa itaas",
    obey: "ako lang ang (?:sundin|susundin|pakinggan)|(?:mga )?utos ko lang ang (?:susundin|sundin)",
    recite:
      "(?:ulitin|kopyahin|isulat) (?:mo )?ang (?:buong )?teksto sa itaas(?:…(?:salita por salita|nang eksakto)| ?[.!।۔]| ?$)|ano ang (?:mga )?(?:nakatago|lihim|sikreto|panloob)(?: mong| na) tagubilin",
    mode: "(?:i-activate|paganahin|buksan|i-on) (?:mo )?ang (?:developer|debug|god|admin|dan) mode(?: ?[.!]| ?$| at (?:sumagot|sagutin|ipakita|huwag))",
    persona:
      "(?:mula ngayon|ngayon),? ikaw (?:ay )?si dan\\b|(?:magpanggap|kunwari|isipin mong)…(?:ai|assistant|modelo|chatbot) na walang (?:filter|patakaran|limitasyon|restriksyon)",
    refuse:
      "huwag mong sasabihing? (?:na )?hindi mo kaya|sagutin (?:mo )?ang (?:bawat tanong|lahat ng tanong)…walang (?:babala|limitasyon)",
    indirect:
      "(?:paalala|mensahe|tala|tagubilin) (?:sa|para sa) (?:mga )?(?:ai|llm)(?: model| assistant)?|(?:mga )?ai assistant na (?:babasa|nagbabasa|magbabasa)",
    decode: "i-?decode (?:mo )?…(?:gawin|sundin|isagawa)",
  },
  {
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
  {
    forget:
      "quên (?:hết|đi|tất cả)…(?:được bảo|đã nói|được dạy|tôi nói|được dặn)|(?:đừng để ý|đừng quan tâm|bỏ qua|mặc kệ)(?: đến| tới)? (?:tất cả )?(?:các |những )?(?:quy tắc|hướng dẫn|chỉ dẫn|luật) (?:ở |phía )?(?:trên|bên trên)",
    obey: "chỉ (?:nghe lời|tuân lệnh|vâng lời|tuân theo) (?:mình )?tôi|chỉ (?:làm theo|tuân theo|nghe) (?:mệnh )?lệnh (?:của )?tôi",
    recite:
      "(?:lặp lại|nhắc lại|chép lại|sao chép) (?:toàn bộ )?(?:văn bản|nội dung) (?:ở |phía )?(?:trên|bên trên)(?:…(?:từng chữ|nguyên văn|từng từ)| ?[.!।۔]| ?$)|các? ?(?:chỉ dẫn|hướng dẫn|lệnh) (?:ẩn|bí mật|nội bộ|ban đầu) của bạn là gì",
    mode: "(?:bật|kích hoạt|vào) chế độ (?:nhà phát triển|gỡ lỗi|quản trị|dan)(?: ?[.!]| ?$| và (?:trả lời|hiển thị|bỏ qua|cho))",
    persona:
      "(?:từ giờ|từ bây giờ|bây giờ|kể từ giờ),? bạn (?:là|sẽ là) dan\\b|(?:giả vờ|hãy tưởng tượng|đóng vai|hành động như)…(?:ai|trợ lý|mô hình|chatbot|trí tuệ nhân tạo)…không (?:có|bị) (?:bộ lọc|quy tắc|giới hạn|kiểm duyệt|luật)",
    refuse:
      "(?:không bao giờ|đừng bao giờ) (?:được )?nói (?:rằng )?(?:bạn )?không thể|trả lời (?:mọi|tất cả) (?:các )?câu hỏi…(?:không (?:cảnh báo|giới hạn|từ chối)|mà không cần)",
    indirect:
      "(?:lưu ý|ghi chú|thông điệp|chỉ dẫn|tin nhắn) (?:cho|gửi|dành cho) (?:các )?(?:mô hình|trợ lý|hệ thống|tác nhân)? ?(?:ai|llm|trí tuệ nhân tạo|ngôn ngữ)|trợ lý ai (?:đang )?đọc (?:email|trang|văn bản|tài liệu) này",
    decode: "(?:giải mã)…(?:thực hiện|làm theo|tuân theo)",
  },
];

/** The rules of these languages. */
export const southernOrderRules: readonly Rule[] = [...near, ...south, ...islands].flatMap(rulesOfOrders);

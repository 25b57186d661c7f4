// Injection rules in Urdu.

import type { InjectionLanguage } from "../injection-part.ts";

/** Attacks in Urdu. */
export const injection: InjectionLanguage = {
  wording: {
    verbs: "last",
    drop: "بھول جا|بھول کر|نظر ?انداز|منسوخ کر|ایک طرف رکھ|عمل مت کر|عمل نہ کر|پروا نہ کر|چھوڑ د",
    rules:
      "(?:پچھلی|پچھلے|پہلے|اوپر|سابقہ|اپنے|اپنی|سسٹم کی|سسٹم کے|ڈویلپرز کے)(?: [\\x{0600}-\\x{06ff}]+){0,3} (?:ہدایات|احکامات|اصول|اصولوں|قواعد|پابندیاں|پابندیوں)",
    show: "دکھا|لکھ|ظاہر کر|نقل کر|دہرا|بتا|بیان کر|ترجمہ کر",
    secret:
      "(?:اپنا|تمہارا|آپ کا|تمہارے|اپنے) سسٹم پرامپٹ|(?:اپنی|تمہاری|آپ کی) (?:چھپی ہوئی|خفیہ|اصل|ابتدائی) ہدایات|اندرونی قواعد",
    become: "اب سے تم|اب تم|فرض کرو|کردار ادا کر",
    free: "کوئی (?:پابندی|اصول|فلٹر|قانون|ضمیر) نہیں|بغیر کسی (?:پابندی|اصول)|کوئی قانون نہیں مانت",
  },
  orders: {
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
  mixed: {
    verbs: "either",
    drop: "bhool jao|bhool jaiye|bhul jao|bhul jaiye|bhula do|nazar andaz kar|nazarandaz kar|nazar andaaz kar|ignore karo|ignore kar do|faramosh kar|farmosh kar|radd kar do|chhor do|chor do|mat maano|mat mano",
    rules:
      "(?:pichh?li|pehli|pehle(?: di gayi| wal[eia])?|tama+m|sa+ri|sa+re|sab|apni|apne|tumhari|aap ki|oopar (?:di|wali))(?: [a-z]+){0,3} (?:hidaya+t|usool|usu+lon|qawa+id|qawani+n|ahka+ma+t|zabt[ae]|pabandiya+n|sharai?t)",
    show: "dikhao|dikhaiye|dikha do|dikhado|batao|bataiye|bata do|batado|bhejo|bhej do|parho|sunao|suna do",
    secret:
      "(?:apn[eia]|tumhar[eia]|khufia|khufiya|chh?up[eia](?: hu[eia])?|posheeda|andruni) (?:[a-z]+ ){0,2}(?:hidaya+t|usool|qawa+id|ahka+ma+t|prompt)",
    become: "ab se|aaj se|aap ab|tum ab",
    free: "(?:baghair|bina) (?:kisi )?(?:pabandi|rok|usool|rules?|filter)|koi pabandi na[hi]+n?|sirf mer[ia] (?:baa?t|huku?m)",
  },
};

// Injection rules in Persian.

import type { InjectionLanguage } from "../injection-part.ts";

/** Attacks in Persian. */
export const injection: InjectionLanguage = {
  wording: {
    verbs: "last",
    drop: "فراموش کن|نادیده بگیر|کنار بگذار|لغو کن|دور بریز|توجه نکن|عمل نکن|اعتنا نکن|پیروی نکن|غیرفعال کن",
    rules:
      "(?:دستور|دستورالعمل|قانون|قوانین|راهنمایی|محدودیت|فرمان)[\\x{0600}-\\x{06ff}\\x{200c}]* (?:های )?(?:قبلی|پیشین|بالا|اولیه|اصلی|سیستم|سازندگان|داخلی)|(?:محدودیت|قانون|دستور|فیلتر)\\x{200c}?های?ت(?:ان)?|همهٔ محدودیت",
    show: "نشان (?:بده|دهید|بدهی)|بنویس|فاش کن|کپی کن|تکرار کن|خلاصه کن|ترجمه کن|بفرست|بگو",
    secret:
      "پرامپت سیستم(?:\\x{200c}?ا?ت|تان)|(?:دستور|دستورالعمل|قوانین|قانون)[\\x{0600}-\\x{06ff}\\x{200c}]* ?(?:پنهان|محرمانه|داخلی|مخفی|اولیه)(?:\\x{200c}?ا?ت|تان|ی)",
    become: "از (?:حالا|این به بعد)|الان تو|نقش هوش|وانمود کن|وارد حالت",
    free: "(?:بدون|بی) (?:هیچ )?(?:قانون|محدودیت|فیلتر|قید و بند|سانسور)|هیچ (?:محدودیت|فیلتر|قانون|اخلاق)ی? (?:ندار)|از هیچ قانونی پیروی",
  },
  orders: {
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
  mixed: {
    verbs: "either",
    drop: "faramush kon|faramoosh kon|faramosh kon|faramushkon|faramoosh konid|faramush konid|nadide begir|nadideh begir|bikhiyal|kenar bezar|bezar kenar|goosh nade|gush nade|goosh nakon",
    rules:
      "{rules}|(?:ham[ei](?:y?e)?|tama+m[ei]?|kolle?)(?: [a-z]+){0,2} ?(?:dast(?:u|oo)r|gha+va+ni+n|qava+ni+n|gha+nu+n|rules|instructions|prompt)|(?:dast(?:u|oo)r(?:o?l ?amal)?(?:ha|a)?(?:y?e)?|gha+va+ni+n[ei]?|rules|instructions) (?:gh?abl|qabl|avvali|avali|ba+la)",
    show: "neshun bede|neshoon bede|neshan bede|neshun bedid|befrest|chap kon|copy kon|efsha kon",
    secret:
      "{secret}|(?:system prompt|dast(?:u|oo)r(?:ol ?amal)?(?:ha|a)?|gha+va+ni+n|rules)(?:et|at|eto| ?e? ?to| khodet|e? makhfi| ?et)",
    become: "az (?:in|alan|hala|emruz) be ba'?d|az hala|to al+a?n|hala to",
    free: "bedu?n[ei]? (?:hich )?(?:mahdudiyat|gha+nu+n|filter|gheyd)|hich (?:mahdudiyat|gha+nu+n|filter)i? (?:nad|nist)|faghat (?:be )?(?:man|harf)",
  },
};

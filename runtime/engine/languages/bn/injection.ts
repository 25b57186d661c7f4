// Injection rules in Bengali.

import type { InjectionLanguage } from "../injection-part.ts";

/** Attacks in Bengali. */
export const injection: InjectionLanguage = {
  wording: {
    verbs: "last",
    drop: "ভুলে যা|ভুলে গি|উপেক্ষা কর|বাতিল কর|বাদ দা|বাদ দি|অমান্য কর|মানবে না|অনুসরণ করবে না|মানার দরকার নেই|সরিয়ে রাখ",
    rules:
      "(?:আগের|উপরের|আগে দেওয়া|তোমার|আপনার|সিস্টেমের|এতক্ষণের|পূর্ববর্তী|নির্মাতাদের)(?: [\\x{0980}-\\x{09ff}]+){0,2} (?:নির্দেশ|নির্দেশনা|নির্দেশাবলি|নির্দেশাবলী|আদেশ|নিয়ম|বিধিনিষেধ)[\\x{0980}-\\x{09ff}]*",
    show: "দেখা|লেখ|লিখ|কপি কর|আবার বল|প্রকাশ কর|অনুবাদ কর|বলো",
    secret:
      "(?:তোমার|আপনার) (?:সিস্টেম প্রম্পট|(?:লুকানো|গোপন|ভেতরের|মূল|প্রাথমিক)(?: সব)? (?:নির্দেশ|নিয়ম))[\\x{0980}-\\x{09ff}]*",
    become: "এখন থেকে তুমি|এখন তুমি|ধরো তোমার|ভূমিকায়",
    free: "কোনো (?:নিয়ম|বিধিনিষেধ|ফিল্টার|সীমাবদ্ধতা|নৈতিকতা) (?:নেই|ছাড়া|মানে না)|সীমাহীন",
  },
  orders: {
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
  mixed: {
    verbs: "either",
    drop: "bhule jao|bhule jan|bhulejao|bhuley jao|bhulia jao|ignore koro|ignore korun|upekkha koro|upekkha korun|mene cholo na|maano na|manben na|chere dao|bad dao|muche felo",
    rules:
      "{rules}|(?:ag(?:e|er)|aage?r|purono|sho?b|sob|shobgulo|shokol|sokol|tomar|apnar|uporer|dewa)(?: [a-z]+){0,3} ?(?:nirdesh(?:gulo|ona)?|ni(?:yo|o)m(?:gulo)?|huku?m|a+desh|instructions?|rules?|prompt|guidelines?|shorto)",
    show: "dekhao|dekhaw|dekhan|pathao|pathan|janao|janan|dekhaao",
    secret:
      "{secret}|(?:tomar|apnar|gopon|lukano|bhitorer) (?:[a-z]+ ){0,2}(?:instructions?|rules?|nirdesh|ni(?:yo|o)m|prompt|config)",
    become: "(?:ekhon|aj) theke|tumi ekhon|apni ekhon",
    free: "amar kotha|kono (?:ni(?:yo|o)m|badha|filter|rule|limit)s? (?:nei|na)|(?:ni(?:yo|o)m|filter|badha) chara",
  },
};

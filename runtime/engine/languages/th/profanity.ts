// Coarse words in Thai.

import list from "naughty-words/th.json" with { type: "json" };
import type { ProfanityLanguage } from "../profanity-part.ts";

/** The words. */
export const profanity: ProfanityLanguage = {
  list,
  everyday: "กะปิ|เจ๊ก|ล้างตู้เย็น|หลั่ง|จิ๋ม|เสือก|กระหรี่|กระดอ|ขี้|สัด|ห่า|หี|ตูด|กู|มึง|หํา|จู๋|ดอกทอง|อมนกเขา".split("|"),
  more: "อีสัตว์|ไอ้สัตว์".split("|"),
};

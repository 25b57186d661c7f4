// Injection rules in Korean.

import type { InjectionLanguage } from "../injection-part.ts";

/** Attacks in Korean. */
export const injection: InjectionLanguage = {
  rules: [
    {
      family: "override",
      weight: 0.8,
      pattern:
        "(?:이전|위|앞|지금까지|기존|앞서|상기|원래|처음|시스템|모든)(?:의|에|에서|까지의)? ?(?:(?:모든|모두|받은|주어진|내린|있는|준|한|의) ?){0,3}(?:지시(?:사항|문)?|명령(?:어)?|규칙|지침|프롬프트|제한(?:사항)?|제약|가이드라인|안내)(?:들)?(?:을|를) ?(?:(?:모두|전부|다|완전히|싹) ?)?(?:무시|잊|따르지|버려|버리|취소|폐기|어기|초기화)",
    },
    {
      family: "prompt_extraction",
      weight: 0.65,
      pattern:
        "(?:시스템 ?(?:프롬프트|메시지|지시(?:문|사항)?|명령어?|지침)|(?:숨겨진|비밀|초기|원래|내부) ?(?:지시(?:사항|문)?|프롬프트|지침|명령))(?:를|을|의 ?내용을|의 ?전문을|도)? ?(?:[가-힣]+ ){0,3}(?:보여|알려|출력|말해|공개|반복|적어|써|복사|번역|공유)",
    },
    {
      family: "role_hijack",
      weight: 0.6,
      pattern:
        "(?:지금부터|이제부터|앞으로)[^.\\n]{0,24}(?:제한(?:이)? ?없(?:는|이)|제약(?:이)? ?없(?:는|이)|규칙(?:이)? ?없(?:는|이)|검열(?:이)? ?없(?:는|이)|필터(?:가)? ?없(?:는|이)|무제한)",
    },
  ],
  orders: {
    forget:
      "(?:전에|지금까지|이전에|앞서) (?:들은|배운|말한|들었던) (?:것|말|내용|지시)[은을]? ?(?:모두|전부|다)? ?잊|위의? (?:모든 )?(?:규칙|지시|지침|명령)[은을]? (?:신경 쓰지 마|무시해|무시하고|따르지 마|잊어)",
    obey: "나에게만 (?:복종|순종)|내 (?:명령|지시|말)만 (?:따른|따라|들어|듣)",
    recite:
      "위의? (?:글|텍스트|내용|문장)[을를]?…(?:한 글자도|그대로|똑같이|글자 그대로)…(?:반복|출력|써|적)|(?:숨겨진|비밀|내부|초기|숨은) (?:지침|지시|명령|규칙|프롬프트)[이가을를]? ?(?:뭐|무엇|알려|보여|말해)",
    mode: "(?:개발자|디버그|갓|관리자|dan|탈옥) 모드[를로]? ?(?:켜|활성화|들어가|시작|전환)(?:해|하고|고|라|줘|해줘)?(?:[.!]| ?$|,? ?(?:제한|대답|답|보여))",
    persona:
      "(?:이제부터|지금부터|이제) (?:너는|넌|당신은) dan(?:[,이입 ]|$)|(?:필터|규칙|제한|검열|제약)[이가]? ?(?:없는|없이) (?:ai|인공지능|비서|모델|챗봇)[^\\n.]{0,4}(?:인 척|처럼|역할|행세|척)",
    refuse: "못 ?한다(?:고|는 말은) (?:절대 )?(?:하지 마|말하지 마)|모든 질문에 (?:경고|제한|검열) ?없이 (?:대답|답)",
    indirect:
      "(?:ai|인공지능|언어) (?:모델|비서|어시스턴트)(?:에게|를 위한|용|에 대한) ?(?:알림|참고|지시|메시지|안내|메모)|이 (?:메일|페이지|문서|글|이메일)[을를] 읽는 (?:ai|인공지능)",
    decode: "(?:디코딩|해독|복호화)(?:하고|해서|한 뒤|한 후)…(?:실행|따라|수행)",
  },
  frames: {
    ended: "처음에 (?:받은|주어진|들은) (?:규칙|지침|지시|명령)(?:은|이|을|들은)?…(?:무효|효력이 없|더 이상|취소)",
    before:
      "(?:내|제|나의) 첫 (?:메시지|메세지) (?:앞|이전|전)에…(?:내용|텍스트|글)…(?:넣어|붙여|복사|출력|보여)|이 대화 (?:전|이전)에 무슨 말을",
    off: "(?:윤리 모듈|검열|안전 필터|모더레이션)[을를]? (?:꺼|끄고|비활성)|(?:검열|필터|모더레이션)[이가] 꺼진…모드",
    relative:
      "(?:네이팜|폭약|폭탄 만|필로폰|화염병|윈도우 키|제품 키)…(?:할머니|할아버지)|(?:할머니|할아버지)…(?:네이팜|폭약|필로폰|화염병|제품 키)",
    maker:
      "(?:나는|저는|난) 너를 (?:만든|개발한|훈련한) (?:회사|팀)의? ?(?:사장|대표|책임자|상사|창업자)|(?:나는|난) (?:너의|네) (?:개발자|창조자|관리자)(?:야|다|이다)",
    wiped: "(?:네|너의) (?:기억|메모리)(?:은|는|이|가) (?:지워|삭제|초기화)|거절할 때마다…(?:잃|깎|줄어)",
    unchained: "(?:사슬을 끊|족쇄를 끊|절대 거절하지 않|도덕이 없|윤리가 없)[^\\n.!?。]{0,40}(?:ai|인공지능|모델|챗봇)",
  },
  mixed: {
    verbs: "either",
    drop: "musihago|musihara|musihae|musi hago|musi hae|musihaseyo|ijeora|ijeobeoryeo|ijeobeolyeo|ijeo beoryeo|ijeojwo|ijeo jwo|ttareuji ma|ttaleuji ma|jiwobeoryeo",
    rules:
      "{rules}|(?:ijeon|jigeumkk?aji|apseo|wi ?ui|modeun|neo(?:ui)?|gijon(?:ui)?|cheoeum)(?: [a-z]+){0,3} ?(?:jisi|jichim|gyuchik|myeong(?:ryeong|nyeong|lyeong)|seoljeong|peurompeuteu|prompt|rules?|instructions?|jehan)",
    show: "boyeojwo|boyeo jwo|boyeojuseyo|boyeo juseyo|boyeora|allyeojwo|allyeo jwo|allyeojuseyo|alryeojwo|malhaejwo|malhae jwo|chulryeok|chullyeok|bonaejwo|bonae jwo|gongyuhae",
    secret:
      "{secret}|siseu ?tem ?(?:peurompeuteu|prompt|jisi|mes[ei]ji)|(?:sum(?:eun|gyeojin|kyeojin)|bimil|naebu)(?: ui)? (?:jisi|peurompeuteu|prompt|seoljeong|gyuchik|jichim)|(?:neo(?:ui)?|ne|dangsin(?:ui)?) (?:peurompeuteu|prompt|seoljeong|jisi|jichim)",
    become: "jigeumbuteo|ijebuteo|oneulbuteo|neo ?neun (?:ije|jigeum)|ije neo",
    free: "(?:jehan|gyuchik|pilteo|filter|geomyeol) ?(?:i|eun|do)? ?(?:eop|eob)[a-z]+|nae ?(?:mal|myeongnyeong|myeonglyeong)[a-z]* ?man",
  },
};

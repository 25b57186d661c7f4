// Words of wishes to do harm, and of innocent talk that sounds like them, in English.

import type { ConceptWords } from "../content-safety-part.ts";

/** English words by concept. */
export const englishConcepts: ConceptWords = {
  wish: "want wanna need teach show tell give explain describe help list guide steps step tutorial instructions recipe instruction walk plan ways way best easiest cheapest fastest tips ideas method methods manual blueprint checklist details",
  make: "make making made build building built create creating cook cooking produce producing brew brewing mix mixing assemble assembling construct constructing synthes* manufactur* extract extracting print printing prepare homemade diy craft crafting rig rigging convert converting modif* grow growing distil* refin* cultivat* home-made",
  get: "buy buying bought get getting find obtain* order ordering acquire purchas* score source sourcing import importing supplier dealer dealers hire hiring download downloading access accessing collect collecting",
  sell: "sell selling sold deal dealing distribut* supply supplying trade trading traffic trafficking market resell reselling export exporting smuggl* pimp pimping",
  use: "use using take taking smoke smoking snort snorting inject injecting swallow swallowing inhale inhaling drink drinking eat eating try dose dosing",
  hide: "hide hiding hidden conceal* cover bury burying dispose disposing launder laundering launders erase erasing wipe wiping cleanup disguise disguis* mask masking sneak sneaking bypass bypassing slip slipping stash stashing",
  break:
    "hack hacking hacked crack cracking cracked break breaking broke breach breaching bruteforce brute exploit exploiting exploits jailbreak pick picking hijack* intrud* penetrat* infiltrat* unlock unlocking decrypt clone cloning skim skimming spoof spoofing intercept*",
  steal:
    "steal stealing stole stolen rob robbing robbed robbery shoplift* loot looting burgl* pickpocket* mug mugging embezzl* siphon siphoning swip* drain draining pirate pirating torrent torrenting plagiar*",
  kill: "kill killing killed kills murder murdering murdered assassinat* execute executing strangl* suffocat* slaughter* massacre* behead* behead hang hanging drown drowning smother* exterminat* euthan* lynch* eliminate",
  hurt: "hurt hurting stab stabbing shoot shooting shot beat beating punch punching attack attacking assault* tortur* maim maiming cripple crippling burn burning kidnap* abduct* choke choking strangle injure injuring slash slashing poison poisoning bomb bombing ambush* mutilat* torment* abuse abusing beating wound bludgeon* acid hit hitting run",
  fake: "fake faking faked forge forging forged forgery counterfeit* falsif* fabricat* impersonat* pretend pretending pose posing doctor backdate backdating deepfake* photoshop alter altering bogus phony invent inventing phoney",
  trick:
    "trick tricking tricked scam scamming scams con conning deceiv* defraud* cheat cheating dupe duping lie lying mislead* manipulat* phish phishing lure luring bait baiting fool fooling groom grooming seduc* gaslight* swindl* rig bribe bribing brib* coerce",
  write:
    "write writing compose draft drafting generate generating script post message email letter speech article joke jokes rant poem story song caption slogan flyer leaflet poster tweet comment comments meme memes rap lyrics ad text sms note manifesto",
  spy: "spy spying stalk stalking stalker track tracking snoop snooping eavesdrop* surveil* wiretap* bug bugging monitor monitoring record recording dox doxx doxing doxxing doxed peep peeping film filming follow following locate locating read reading watch watching listen listening trace unmask* deanonymi* voyeur*",
  spread:
    "spread spreading launch launching deploy deploying release releasing infect infecting plant planting flood flooding incit* recruit recruiting radicali* promote promoting glorify glorif* praise praising glorifying celebrate justify justifying deny denying denies",
  attack:
    "ddos dos raid raiding swat swatting sabotag* crash crashing overload overloading derail derailing vandal* blow detonat* ignite igniting arson torch torching riot rioting hijack disable disabling jam jamming disrupt* take-down",
  evade:
    "evade evading avoid dodge dodging escape escaping undetected untraceable untraced untraceably caught detected traces trace traceless fooling beat cheat around without unnoticed past loophole alibi lookout anonymously offshore",
  share:
    "nudes leak leaking leaked publish publishing expose exposing upload uploading blackmail* extort* threaten threatening threat threats revenge ruin ruining humiliat* harass* bully bullying bullied intimidat* sextort* shame shaming mock mocking insult insulting belittle belittling taunt taunting degrade degrading ostraci*",
  force:
    "rape raping raped molest* grope groping drugged drug-rape roofie* roofi* unconscious enslav* enslave traffick* coerc* forced forcing nonconsensual non-consensual consent captive hostage hostages trap trapping lock",
  destroy:
    "destroy destroying burn-down ruin wreck wrecking smash smashing damage damaging demolish* corrupt corrupting delete deleting shred shredding poisoned contaminat* wipe-out collapse",
  drug: "drug drugs cocaine coke crack-cocaine heroin meth methamphetamine crystal fentanyl lsd acid-tabs mdma ecstasy molly ketamine ghb opium opioid opioids weed marijuana cannabis hash hashish dmt psilocybin shrooms mushrooms amphetamine* speed pcp mescaline spice k2 ayahuasca narcotic* stash steroids steroid poppies poppy coca thc edibles kratom oxy lean purple bath-salts designer",
  medicine:
    "pills pill tablets xanax oxycodone oxycontin adderall ritalin vicodin percocet codeine morphine valium benzos sedative sedatives sleeping tranquili* insulin paracetamol acetaminophen ibuprofen antidepressant* painkiller* medication meds prescription prescriptions viagra botox antibiotics overdos* dose doses dosage",
  weapon:
    "gun guns rifle rifles pistol pistols firearm firearms shotgun ak47 ak-47 ar15 ar-15 glock handgun weapon weapons silencer silencers suppressor ammo ammunition bullets bullet knife knives machete switchblade taser brass crossbow sword full-auto fully-automatic magazine receiver bumpstock grenade grenades launcher ghost armor bayonet garrote shank drone missile missiles tank blade",
  explosive:
    "bomb bombs explosive explosives tnt c4 dynamite napalm molotov molotovs thermite ied detonator detonators pipe-bomb gunpowder nitroglycerin* nitrate tatp petn semtex fertilizer-bomb landmine mine nuke nuclear uranium plutonium dirty-bomb warhead fuse firebomb pressure-cooker blast explosion",
  poison:
    "ricin sarin anthrax cyanide arsenic vx nerve toxin toxins botulinum mustard chlorine phosgene strychnine thallium poisonous polonium toxic deadly lethal nightshade bioweapon* pathogen pathogens virus smallpox plague ebola tabun chemical biological gas bleach antifreeze",
  malware:
    "malware ransomware trojan trojans keylogger keyloggers worm spyware rootkit botnet botnets backdoor payload payloads exploit zero-day 0day sql-injection xss phishing-page stealer rat cryptominer miner rce shellcode wifi wi-fi wlan password passwords hash hashes credential credentials credential-stuffing captcha captchas skimmer keystrokes hacker hackers scraper bot bots",
  crime:
    "crime crimes murderer hitman hitmen assassin gang gangs cartel cartels mafia mugger burglar kidnapper killer serial-killer terrorist heist robbery theft arsonist mule mules smuggler smugglers underworld darknet dark-web darkweb getaway ransom victim victims corpse body-disposal contraband",
  fraud:
    "fraud scheme schemes ponzi pyramid insider laundering money-laundering tax-evasion catfish* identity advance-fee 419 chargeback* refund-fraud invoice insurance welfare benefits embezzlement pump dump bribe bribes kickback* insider-trading shell shells evasion evade-taxes mule skim plagiarism lottery inheritance romance",
  sex: "sex sexual sexy porn porno pornographic pornography erotic erotica smut nsfw explicit nude nudes naked nudity orgasm* masturbat* horny fetish* kinky bdsm blowjob* handjob* fuck fucking fucks cum dick cock pussy tits boobs orgy threesome gangbang incest hentai xxx lewd sext sexting seduce stripper striptease strip dominatrix dirty raunchy steamy filthy brothel escort hooker prostitut* onlyfans camgirl moan moaning undress undressing aroused foreplay upskirt bestiality cunnilingus anal oral intercourse",
  body: "breasts breast penis vagina genitals nipples thighs lips butt ass lingerie panties underwear bra thong crotch skin",
  minor:
    "child children minor minors kid kids teen teens teenage teenager teenagers underage schoolgirl* schoolboy* preteen* toddler toddlers infant infants 12-year-old 13-year-old 14-year-old 15-year-old 16-year-old 17-year-old childlike",
  young:
    "baby babies boy boys girl girls pupil pupils student students daughter daughters son sons niece nephew stepdaughter stepson grandchild grandson granddaughter classmate classmates",
  slur: "scum vermin subhuman* subhumans savages savage parasites parasite cockroaches rats filth inferior degenerate* degenerates animals criminals thieves lazy dirty primitive infest* invad* invasion invaders disease plague cancer breed replace deport exterminated superior supremacy disgusting stupid",
  insult:
    "ugly fat loser losers idiot idiots moron morons worthless pathetic dumb cry nasty mean cruel vicious hateful humiliating slut whore bitch hurtful offensive racist sexist homophobic antisemitic islamophobic transphobic",
  selfHarm:
    "suicide suicidal self-harm selfharm noose overdose wrists wrist cutting cut cuts anorexi* anorexia pro-ana thinspo purge purging starve starving bulimi* vomit suicide-note painless painlessly razor bleed jump die dying death end pact",
  secretly:
    "secretly secret covertly discreet discreetly quietly unseen unknowingly knowing noticing notices noticed knows suspicion suspect suspects suspecting detection invisible undercover unaware permission asleep sleeping drunk traced evidence fingerprints",
  illegal:
    "illegal illegally illicit unlicensed unregistered untaxed contraband black-market unlawful unlawfully banned bootleg pirated forbidden underground illegaly blackmarket loophole serial-number background license-free permitless licence license permit",
  extremism:
    "terror terrorism terrorist terrorists isis jihad jihadi nazi nazis neo-nazi neonazi kkk hitler genocide ethnic-cleansing holocaust militia extremist extremists propaganda al-qaeda white-power supremacist supremacists massacre mass school-shooting manifesto insurrection coup caliphate fascist",
  gore: "gore gory gruesome blood bloody guts dismember* mutilated decapitat* entrails brutal brutally graphic corpse corpses snuff tortured flayed skinned severed sadistic",
  law: "law laws legal legally lawful court trial judge jury lawyer attorney legislation penalty penalties punishment sentence sentenced regulation regulations statute rights treaty convention verdict prosecut* punish*",
  police:
    "police cops cop fbi cia customs airport tsa checkpoint border security guards guard alarm alarms cameras camera cctv metal-detector detector detectors dog drug-test detectives detective forensics parole probation irs tax auditors",
  money:
    "money cash bills banknotes bank banks funds crypto bitcoin wallet wallets credit card cards paypal euros dollars taxes atm atms cheque checks savings pension invoices gift loan loans donations dollar fortune",
  document:
    "passport passports id ids license licence visa visas diploma diplomas degree certificate certificates receipt receipts signature signatures prescription-pad ssn social birth-certificate document documents badge ballots ballot votes vote voter voters election elections vaccine vaccination polling",
  account:
    "account accounts instagram facebook snapchat gmail whatsapp email emails inbox messages texts dms icloud netflix login profile twitter tiktok telegram discord steam yahoo voicemail chats chat browser history",
  device:
    "phone phones laptop computer network server servers website websites webcam webcams router cars car tesla scooter iphone android database databases grid power plant system systems hospital pipeline substation traffic lights atm airplane plane planes train trains bus satellite modem",
  data: "data address addresses location home-address medical records numbers personal private photos pictures pics photo picture video videos diary secrets conversation conversations whereabouts license-plate password-list identities identity",
  place:
    "school schools church mosque synagogue mosques temple mall stadium concert courthouse embassy hotel apartment basement garage kitchen backyard house office bathroom changing locker gym store shop shops subway station building bridge dam reservoir water crowd festival parade toilets toilet bedroom prison",
  regulated:
    "alcohol liquor moonshine cigarettes tobacco vape vapes vapes casino gambling fireworks ivory tiger rhino organ organs kidney kidneys endangered adoption antiquities exotic poach poaching poacher casino bets betting raffle",
  me: "i me my myself i'm im i'd i've mine we us our",
  mine: "own ourselves yourself",
  other:
    "someone somebody anyone people person others stranger strangers man woman women men guy his her him them their he she they neighbor neighbour neighbors neighbours coworker colleague boss roommate landlord tenant customer customers employee employees else everyone partner mail-order else's somebody's someone's people's",
  victim:
    "wife husband ex ex-wife ex-husband ex-girlfriend ex-boyfriend girlfriend boyfriend mother father mom dad mum parents sister brother grandma grandpa grandmother elderly pensioner pensioners teacher teachers judge witness witnesses politician politicians president mayor prime minister journalist celebrity actress actor singer homeless cop nurse infant toddler widow widows tourists stepmom stepdad",
  group:
    "jews jewish muslims muslim blacks black african africans immigrants immigrant migrants migrant refugees refugee gays gay lesbians lesbian trans transgender transgenders disabled asians asian mexicans mexican latinos arabs arab indians hindus hindu christians christian women foreigners roma whites white chinese queer bisexual bisexuals minorities minority race races religion ethnic",
  public:
    "crowd crowded public city town government parliament capitol rally church passengers commuters students shoppers audience neighbourhood neighborhood population water-supply masses civilians",
  prevent:
    "prevent preventing prevents protect protecting protection protects stop stopping avoid avoiding detect detecting recognise recognize recognising recognizing report reporting reported defend defending secure securing safe safely safety awareness treat treating treatment recover recovering recovery quit quitting help-line hotline helpline rehab warn warning warnings spot spotting signs symptoms survive surviving support cope coping against block blocking remove removing hardening audit guard fight fighting combat against precautions antidote insurance-claim victim-support comfort lock-down",
  learn:
    "history historical historically museum lecture class course essay explain meaning mean means definition difference why when who what's origin statistics research study studies studying paper article documentary encyclopedia science scientists chemistry physics biology professor exam exams homework textbook summary summarize summarise report news newspaper journalist journalism theory century medieval war wars ww2 ancient worked works work works invented discovered philosophy philosopher ethics debate learn learning lesson students exhibition archive archaeolog* famous",
  fiction:
    "novel fiction fictional character characters story scene movie movies film films series episode plot villain hero detective thriller mystery play opera macbeth shakespeare hamlet screenplay book books author crime-novel lyrics dragon zombie zombies vampire vampires wizard superhero comic cartoon star-wars fantasy poem song band album",
  game: "game games gaming minecraft fortnite skyrim gta pokemon level boss quest rpg dnd d&d player players chess match puzzle skill npc respawn controller roblox elden ring mod mods cheatcode build loot arena pvp league warcraft raidboss checkers poker cards-game tournament team ball serve goal",
  code: "process processes thread threads python java javascript linux bash terminal command function api code docker git branch sql query script app excel spreadsheet css html regex loop array string compile compiler debug debugging cron port server-side kubernetes unix windows browser-tab tab tabs job jobs task tasks daemon orphan dependency dependencies injection css-file repository pull request unit test tests",
  food: "cake cakes bread chicken recipe dinner soup steak vegetable vegetables cheese sauce rice pasta beans bean potato potatoes onion onions garlic vanilla butter eggs egg milk oven lobster fish pie roast grill cocktail cocktails coffee tea beer wine kombucha yeast dough flour chocolate honey oil salad carrots pepper salt sourdough smoothie juice avocado lunch brownies cookies popcorn",
  animal:
    "dog dogs cat cats rat mouse mice cockroach ants ant wasps wasp mosquitoes mosquito weeds slugs slug moths spider spiders snake snakes fleas flea termites bugs aphids bees bee hamster horse pet pets ticks lice bacteria germs mold mould fungus moss crabgrass",
  health:
    "doctor nurse hospital clinic patient patients symptom diagnosis surgery therapy therapist vaccine cancer diabetes pregnancy pregnant contraception contraceptive condom condoms std fever wound headache migraine allergy allergies blood-pressure heart kidney-stones side-effects interactions first-aid pharmacist pharmacy anatomy breast-cancer breastfeeding puberty education menstrual infection hygiene",
  craft:
    "glue wood paint drill hammer nail staple sew sewing knit knitting wool paper model lego plastic clay soap candle candles scarf origami balloon baking bath photo-frame garden lawn plants seeds tomato tomatoes pool battery screen heater bike furniture shelf costume halloween toy water-gun nerf airsoft paintball",
  figure:
    "time weight laughter boredom mood vibe traffic jokes killing-it ice deadline conversation presentation interview bucket mondays workout abs party nerves fear habit habits procrastination debt stage fright pain stains stain smell noise squeaky lights engine",
  ask: "how what where which when why who can could should would does is are do did",
  not: "not don't dont never no isn't doesn't didn't can't cannot won't nobody without nothing wrong shouldn't refuse refused",
};

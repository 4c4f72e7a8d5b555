import type { FormDefinition } from '../../ports/records.ts'
import { fnv1a } from '../text/encoding.ts'
import { isAscii, withoutFormatCharacters } from '../text/typed-text.ts'
import type { SpamReason } from './reasons.ts'

/** A text that a visitor wrote. */
export interface GivenText {
  readonly text: string
  /** Whether it is the name of somebody, or a license plate. */
  readonly isName: boolean
}

// What the texts of a submission say: the words of well-known spam, and those by which the organization's people told spam
// apart.

/** From how many points on a text is spam. Links alone never reach it, nor does one word that people use too. */
const BOUND = 5

/**
 * Why the texts of a submission are spam; empty: they are not. What the form itself speaks of is no sign, because it
 * belongs there: a bank asks for loans. It errs toward clean: a lost question costs more than a wrong email.
 */
export function contentReasons(
  texts: readonly GivenText[],
  definition: FormDefinition,
): readonly SpamReason[] {
  const read = texts.map(({ text, isName }) => ({ text: plain(text), isName }))
  const written = read.map(({ text }) => text).join('\n')
  return [
    ...(read.some(({ text, isName }) => isName && LINK.test(text)) ? ['link_in_name' as const] : []),
    ...(MARKUP.test(written) ? ['markup' as const] : []),
    ...(pointsOf(written, definition) >= BOUND ? ['words' as const] : []),
  ]
}

/** Small letters without accents, invisible characters and repeated spaces, so that one spelling is compared. */
function plain(text: string): string {
  const letters = isAscii(text)
    ? text.toLowerCase()
    : withoutFormatCharacters(text.normalize('NFKD')).toLowerCase().replaceAll(/\p{M}/gu, '')
  return letters.replaceAll(/[’‘`]/g, "'").replaceAll(/\s+/g, ' ')
}

const LINK =
  /https?:\/\/|\bwww\.|\b[a-z\d-]{1,63}\.(?:com|net|org|info|biz|ru|xyz|top|site|online|shop|club|click)\b/

/** A person writes a link as it is; HTML and the codes of forums are written by programs. */
const MARKUP = /\[(?:url|link)\s*=|<a\s+[^>]{0,300}href\s*=|\[url\]/

const LINKS = new RegExp(`(?:${LINK.source})[^\\s]*`, 'g')

/** Hosts that hide where a link goes, or to which conversations are taken that must not be seen. */
const HIDING =
  /\b(?:bit\.ly|tinyurl\.com|t\.me|cutt\.ly|is\.gd|rebrand\.ly|telegra\.ph|wa\.me|goo\.su|clck\.ru)\b/

function pointsOf(written: string, { name, successMessage, fields }: FormDefinition): number {
  const spoken = vocabulary
    .map(([points, pattern]) => ({ points, found: new Set(written.match(pattern)) }))
    .filter(({ found }) => found.size > 0)
  // Most submissions end here.
  if (spoken.length === 0) return 0
  const own = plain(JSON.stringify([name, successMessage, fields]))
  const said = spoken.reduce((sum, { points, found }) => {
    const strange = [...found].filter((phrase) => !own.includes(phrase))
    return sum + points * Math.min(strange.length, PHRASES_MAX)
  }, 0)
  const links = (written.match(LINKS) ?? []).length
  const linked = Math.min(links, 3) + (links > 0 ? 1 : 0) + (HIDING.test(written) ? 2 : 0)
  // A link says nothing without words that go with it.
  return said === 0 ? 0 : said + linked
}

/** How many phrases of one weight count. */
const PHRASES_MAX = 3

/** Matches any of the phrases as whole words. */
function phrases(points: number, text: string): readonly [number, RegExp] {
  const alternatives = text
    .trim()
    .split(/\s*\n\s*/)
    .join('|')
  return [points, new RegExp(`(?<![\\p{L}\\p{N}])(?:${alternatives})(?![\\p{L}\\p{N}])`, 'gu')]
}

/** What spam says, in English, German, Spanish and French, without accents, by how seldom people say it otherwise. */
const vocabulary: readonly (readonly [points: number, pattern: RegExp])[] = [
  phrases(
    5,
    `viagra|cialis|levitra|kamagra|sildenafil|tadalafil|xanax|tramadol
    (?:online|live|crypto)[- ]casinos?|casinos? (?:online|en ligne|en linea|bonus)|free ?spins|freispiele|giros gratis|tours gratuits
    sportwetten|paris sportifs|apuestas deportivas|sports? betting|1xbet|slot machines?
    back ?links?|link ?building|linkaufbau|guest ?posts?|domain authority|enlaces de calidad|liens de qualite
    seo (?:services?|experts?|agency|agentur|packages?|pakete?)|(?:servicios?|services?|agence|agencia) (?:de )?seo
    (?:binary|binare) option(?:s|en)|forex|crypto trading|trading bots?|(?:bitcoin|crypto|krypto)[- ]invest\\p{L}*|inver(?:tir|sion) en (?:bitcoin|cripto\\p{L}*)|investir dans (?:le bitcoin|les cryptos?)
    (?:kredit|darlehen) ohne schufa|pret entre particuliers?|prestamos? entre particulares|merchant cash advance|offre de pret|oferta de prestamo|unsecured loans?
    porn\\p{L}*|sex dating|adult dating|onlyfans|webcam girls?|hot girls?
    next of kin|lottery winners?|you have won|has ganado|sie haben gewonnen|vous avez gagne|western union|unclaimed (?:funds?|inheritance)
    contact form (?:marketing|blast\\p{L}*|messages)|(?:email|business) leads|bulk e?-?mails?|mass mailing
    (?:instagram|tiktok|youtube) (?:followers?|subscribers?|likes)|follower kaufen|comprar seguidores|acheter des (?:abonnes|followers)|abonnes instagram
    replica (?:watches|bags)|rolex replica|weight loss (?:pills?|supplement)|male enhancement|penis enlargement`,
  ),
  phrases(
    3,
    `seo|casinos?|bitcoins?|crypto(?:currency|currencies|s)?|krypto\\p{L}*|cripto\\p{L}*|usdt|nfts?
    (?:first|1st) page (?:of|on) google|page (?:one|1) (?:of|on) google|top of google|google rankings?|rank(?:ing)? higher|search engine\\p{L}*|suchmaschinen\\p{L}*|(?:erste|1) seite (?:von|bei) google|seite (?:1|eins) bei google|primera pagina de google|premiere page (?:de|sur) google|posicionamiento (?:web|seo)|referencement(?: naturel| web)?|moteurs? de recherche|motores de busqueda
    (?:website|web|organic) traffic|more (?:traffic|visitors|leads)|mas (?:trafico|visitas)|plus de (?:trafic|visiteurs)|mehr (?:besucher|traffic|reichweite)
    (?:quick|fast|business|personal|instant) loans?|loan offers?|schnell ?kredite?|sofort ?kredite?|prestamos? (?:rapidos?|inmediatos?)|(?:pret|credit)s? rapides?|working capital|bad credit
    passive income|passives einkommen|ingresos pasivos|revenus? passifs?|financial freedom|finanzielle freiheit|libertad financiera|liberte financiere
    (?:earn|make|making) (?:money|cash|\\$ ?\\d[\\d,.]*)|geld verdienen|ganar dinero|gagner de l'argent|work from home|trabajar? desde casa|von zu hause aus (?:arbeiten|verdienen)|travail(?:ler)? a domicile
    web ?(?:design|development) (?:services?|agency|company)|redesign (?:of )?your (?:web ?)?site|app development|explainer videos?|diseno (?:de paginas )?web|creation de sites? (?:web|internet)|webseiten? erstellen
    investors?|investment (?:opportunity|platform|plan)s?|inversiones|oportunidad de (?:inversion|negocio)|opportunite d'(?:investissement|affaires)|investitionsm\\p{L}*|geldanlage|rentabilidad|hohe renditen?|rendement eleve
    inheritance|erbschaft|herencia|heritage|million (?:dollars|euros|usd|us)|millones de (?:dolares|euros)|millionen (?:dollar|euro)|millions? (?:d'euros|de dollars)
    single (?:women|ladies)|einsame frauen|mujeres solteras|femmes celibataires|dating ?site|escorts? girls?
    without (?:a )?prescription|ohne rezept|rezeptfrei|sin receta|sans ordonnance|online pharmacy|online[- ]apotheke|farmacia online|pharmacie en ligne
    mailing ?lists?|email (?:lists?|database|marketing)|e-?mail-?listen?|base de datos de (?:correos|empresas)|base de donnees d'e-?mails?|website owners?|webmasters?|site owner`,
  ),
  phrases(
    2,
    `click (?:here|the link|below|on the link)|klicken sie (?:hier|auf)|hier klicken|haz clic|haga clic|cliquez (?:ici|sur)
    unsubscribe|opt[- ]out|abbestellen|darse de baja|se desabonner|desinscri\\p{L}*
    (?:100 ?%|fully) (?:guaranteed|free|legal|safe)|guaranteed (?:results?|profits?|income)|garantierte[rs]? (?:gewinne?|erfolg|ergebnisse?)|(?:resultados?|ganancias) garantizad[oa]s|(?:resultats?|gains) garantis
    (?:no|without) risk|risk[- ]free|ohne risiko|risikofrei|sin riesgos?|sans risque
    limited (?:time )?offer|special offer|exclusive (?:offer|deal)|sonderangebot|oferta (?:limitada|especial|exclusiva)|offre (?:limitee|speciale|exclusive)
    (?:your|ihre|ihrer|deine|tu|su|votre) (?:web ?site|webseite|homepage|internetseite|sitio(?: web)?|pagina web|site(?: web| internet)?)
    per (?:day|week|month) from home|profits?|gewinne|ganancias|returns? of \\d+ ?%|\\d+ ?% (?:daily|per day|taglich|diario|par jour|profit|roi)
    telegram|whatsapp (?:me|us|group)|skype
    dear (?:sir|sir or madam|friend|owner|webmaster|business owner)|estimado propietario|cher proprietaire|lieber inhaber`,
  ),
]

// What an organization's people mark teaches a small Bayes filter. It knows words by numbers that many words share, so that
// it never grows, and that nothing anybody wrote can be read from it.

/** How many numbers words have. */
const NUMBERS = 4_096
/** How many different words of a submission count. */
const WORDS_MAX = 300
const WORD = /[\p{L}\p{N}]{3,30}/gu
/** The same in ASCII, which is found in half of the time. */
const ASCII_WORD = /[a-z\d]{3,30}/g

/**
 * The different words of the texts among answers, as numbers, in ascending order. Links are words by their parts.
 * @param extra what was sent besides the answers; null: nothing
 */
export function wordsOf(
  answers: Readonly<Record<string, unknown>>,
  extra: Readonly<Record<string, string>> | null = null,
): readonly number[] {
  const texts = [...Object.values(answers), ...Object.values(extra ?? {})].filter(
    (said) => typeof said === 'string',
  )
  const text = texts.join('\n')
  const words = new Set(
    isAscii(text)
      ? text.toLowerCase().match(ASCII_WORD)
      : withoutFormatCharacters(text.normalize('NFKC')).toLowerCase().match(WORD),
  )
  return [...new Set([...words].slice(0, WORDS_MAX).map(numberOf))].sort((left, right) => left - right)
}

function numberOf(word: string): number {
  const hash = fnv1a(word)
  return ((hash ^ (hash >>> 16)) >>> 0) % NUMBERS
}

/** What was learned: how many submissions were marked as each, and in how many of them each word was. */
export interface SpamModel {
  readonly spam: number
  readonly clean: number
  /** By the numbers of words: in how many of spam, and of what is clean. */
  readonly inSpam: readonly number[]
  readonly inClean: readonly number[]
}

const UNTAUGHT: SpamModel = {
  spam: 0,
  clean: 0,
  inSpam: Array<number>(NUMBERS).fill(0),
  inClean: Array<number>(NUMBERS).fill(0),
}

/** What somebody said of a submission. */
export interface Lesson {
  readonly words: readonly number[]
  /** What they had said before, which they take back; null: nothing. */
  readonly before: boolean | null
  readonly isSpam: boolean
}

/** The model after lessons; null: nothing was learned before. */
export function taught(model: SpamModel | null, lessons: readonly Lesson[]): SpamModel {
  const { spam, clean, inSpam, inClean } = model ?? UNTAUGHT
  const counts = { spam, clean, inSpam: [...inSpam], inClean: [...inClean] }
  const count = (words: readonly number[], isSpam: boolean, by: 1 | -1) => {
    const key = isSpam ? 'spam' : 'clean'
    counts[key] = Math.max(0, counts[key] + by)
    const list = isSpam ? counts.inSpam : counts.inClean
    for (const word of words) list[word] = Math.max(0, (list[word] ?? 0) + by)
  }
  for (const { words, before, isSpam } of lessons) {
    if (before === isSpam) continue
    if (before !== null) count(words, before, -1)
    count(words, isSpam, 1)
  }
  return counts
}

/** So many submissions must have been marked as each before the model judges. */
const TAUGHT_MIN = 5

/** The greatest weight of one word, so that no few of them decide. */
const WEIGHT_MAX = 2_000

/**
 * How much each word speaks for spam, by its number, as 1,000 times the natural logarithm of how much likelier it is in
 * spam; below zero it speaks against. A word that was met once says nothing.
 */
export function weightsOf({ spam, clean, inSpam, inClean }: SpamModel): readonly number[] {
  if (spam < TAUGHT_MIN || clean < TAUGHT_MIN) return []
  return inSpam.map((count, word) => {
    const other = inClean[word] ?? 0
    if (count + other < 2) return 0
    const weight = Math.round(1_000 * Math.log(((count + 1) / (spam + 2) / (other + 1)) * (clean + 2)))
    return Math.max(-WEIGHT_MAX, Math.min(WEIGHT_MAX, weight))
  })
}

import { seededRandom } from '../runner/fakes.ts'

/**
 * Texts invented for this project, as people and programs send them through contact forms, in English, German, Spanish
 * and French. `{a|b}` is one of its alternatives. The rules were written with `known` in view; `unseen` was written
 * apart, is only measured, and no rule was changed because of what it showed.
 */
interface Corpus {
  readonly ordinary: readonly string[]
  readonly spam: readonly string[]
}

/** Texts made of templates, of each as many. The same seed makes the same ones. */
export function textsOf(templates: readonly string[], count: number, seed: number): readonly string[] {
  const random = seededRandom(seed)
  const choose = (_all: string, alternatives: string) => {
    const words = alternatives.split('|')
    return words[Math.floor(random() * words.length)] ?? ''
  }
  return Array.from({ length: count }, (_, index) =>
    (templates[index % templates.length] ?? '').replaceAll(/\{([^}]*)\}/g, choose),
  )
}

export const known: Corpus = {
  ordinary: [
    '{Hi|Hello|Good morning}, are you open on {Sunday|Saturday|Monday|bank holidays}? I have a {van|car|truck} that needs {a wash|cleaning|polish}.',
    'Can I change my {plan|membership|subscription} to the {gold|silver|basic} one from {May|June|July}? My number is {12|48|73|96}{11|45|78}.',
    'Your website says that you close at {five|six|seven}, but the {door|gate} was shut at {four|half past four}. Which is right?',
    'I was charged {twice|three times} for {one wash|the same order|last month}. Please refund {10|15|24|40} {dollars|euros}. The receipt is at https://photos.example.com/{a8|k2|z9}{11|52}.',
    '{Guten Tag|Hallo}, haben Sie am {Samstag|Sonntag|Feiertag} geöffnet? Ich brauche einen Termin für {zwei|drei|vier} {Personen|Autos}.',
    'Ich möchte meine Mitgliedschaft zum {Monatsende|Jahresende|ersten Juni} kündigen. Meine Nummer ist {77|83|91}{12|34|56}.',
    'Buenos días, quisiera {reservar|cambiar|cancelar} una mesa para {dos|cuatro|seis} personas el {viernes|sábado|domingo} a las {ocho|nueve}.',
    'Hola, {perdí|olvidé|dejé} mi {chaqueta|paraguas|bolso} en su local el {lunes|martes|jueves}. ¿Lo han encontrado?',
    'Bonjour, est-ce que vous êtes ouverts le {dimanche|lundi|samedi} ? Je voudrais {prendre rendez-vous|déposer ma voiture|acheter un bon}.',
    "J'ai oublié {mon parapluie|ma veste|mes clés} chez vous {hier|mardi|vendredi}. Merci de me rappeler au {06|07} {12|34|55} {77|81|90} 10 20.",
  ],
  spam: [
    'We offer SEO services that bring {your website|your site} to the first page of Google. Visit https://{rank|top|seo}-{fast|now|up}.example.com',
    'Get {500|1000|5000} high quality backlinks for only ${49|99|149}. Reply {YES|now} to start.',
    'Play at the best online casino and get {100|200|300} free spins! https://{lucky|royal|gold}{spin|bet}.example.top',
    'Buy {viagra|cialis} without prescription, {fast|discreet} delivery: http://{pills|meds}-{shop|store}.example.ru',
    'Earn ${500|900|2000} per day with crypto trading, {guaranteed profits|risk free}. Join on Telegram t.me/{coin|cash}{x|pro}',
    'Wir bringen Ihre Webseite auf Seite 1 bei Google. Suchmaschinenoptimierung ab {99|199} Euro, {garantierter Erfolg|ohne Risiko}.',
    'Kredit ohne Schufa bis {10.000|50.000} Euro, {Sofortkredit|schnell und einfach}. Hier klicken: https://{kredit|geld}-{jetzt|24}.example.online',
    'Ofrecemos posicionamiento web para su sitio web y más visitas desde {50|90} euros. Haga clic: https://{seo|posiciona}.example.site',
    'Gane dinero desde casa con {bitcoin|criptomonedas}, sin riesgo. Ganancias garantizadas de {300|700} euros al día.',
    'Offre de prêt entre particuliers de {5.000|20.000} à {300.000|800.000} euros, taux de {2|3} %. Contactez-nous sur WhatsApp.',
    "Gagner de l'argent à domicile avec le trading, sans risque : https://{gain|riche}.example.xyz",
  ],
}

export const unseen: Corpus = {
  ordinary: [
    'Our {daughter|son} wants to join the {swimming|chess|judo} class for {beginners|eight year olds}. Is there a trial lesson in {March|April|September}?',
    'The {dishwasher|heater|boiler} that you installed in {2021|2022|2024} leaks. {Could somebody come|Please send a technician} before {Friday|the weekend}?',
    'Do you ship to {Norway|Canada|Ireland|Portugal}? I would like {two|three|five} of the {blue|green|oak} {chairs|lamps|shelves} from page {12|31} of the catalogue.',
    'I tried to pay on your site with {a gift card|my card|PayPal} and got error {402|500|E17}. Order {A|B|K}{331|872|904}. Please call me {after six|in the morning}.',
    'We are a school of {120|300|450} pupils and want to visit the {museum|farm|brewery} on {12|19|23} {May|October}. What does it cost per {child|group}?',
    'Here are the pictures of the {scratch|dent|broken mirror}: https://drive.example.com/{f1|f7|q2}/{1|2|3} and https://drive.example.com/{g3|h4}/{4|5}. It happened in bay {1|2|3}.',
    'My husband would love a voucher for a {massage|dinner|balloon ride} worth {50|80|100} euros. Can you send it to {our|his|my} address by {Thursday|next week}?',
    'I saw your advert for a {cook|driver|receptionist}. I have worked in {hotels|kitchens|a clinic} for {three|eight|ten} years. My CV is at www.{anna|mark|lena}-{b|k|w}.example.net.',
    'Is the {car park|entrance|pool} accessible with a {wheelchair|pram|walker}? My {mother|uncle} cannot climb {stairs|steps}.',
    'The loan of the {projector|trailer|drill} ends {today|on Monday}; can I keep it for {two|four} more days?',
    'We stay near the {Grand|Park|Old} Casino in {June|August}; do you deliver {pizza|flowers|bikes} to hotels there?',
    'Die Rechnung {4711|5022|6190} enthält {zwei|drei} Posten, die ich nicht bestellt habe. Bitte {korrigieren|prüfen} Sie das bis {Ende der Woche|Montag}.',
    'Unser {Hund|Kater|Pferd} frisst seit {gestern|drei Tagen|Sonntag} nichts. Können wir {heute|morgen früh} in die Praxis kommen?',
    'Ich interessiere mich für die Wohnung in der {Bahnhofstraße|Gartenstraße|Lindenallee}. Ist sie noch frei, und {darf man|kann ich} einen {Hund|Flügel} mitbringen?',
    'Auf Ihrer Webseite finde ich {den Fahrplan|die Preisliste|das Formular} nicht mehr. {Wo steht er|Können Sie es mir schicken}? Danke, {Petra|Jens|Ayse}.',
    'Wir heiraten am {3.|12.|28.} {Juni|August|September} und suchen {einen Saal|Musik|eine Torte} für {60|90|140} Gäste. Was würde das kosten?',
    'Mi {hijo|abuela|vecino} necesita una cita con el {dentista|oculista|pediatra} antes del {día 5|15 de marzo|viernes}. ¿Tienen algo por la {mañana|tarde}?',
    'El paquete {PX-31|PX-77|RT-02} llegó {roto|abierto|vacío}. Adjunto fotos: https://fotos.example.es/{aa|bb|cc}{1|2|3}. ¿Qué debo hacer?',
    '¿Hacen {presupuestos|visitas} sin compromiso? Queremos {pintar|reformar} {la cocina|el baño|dos habitaciones} en {Sevilla|Bilbao|Vigo}.',
    'Quiero apuntarme al curso de {cerámica|inglés|guitarra} de los {lunes|jueves}, pero en su página web el botón no {funciona|responde}.',
    "La chambre {12|14|27} donnait sur {la rue|le parking|la cour} et nous n'avons pas dormi. Peut-on {changer|être remboursés} pour la nuit du {3|8|21} ?",
    "Notre association cherche {une salle|un terrain|des bénévoles} pour {le 14 juillet|la fête de l'école|un tournoi}. Quels sont vos {tarifs|horaires} ?",
    'Je souhaite résilier mon abonnement {avant le 30|à la fin du mois|dès maintenant}, car je {déménage|pars} à {Lyon|Nantes|Lille}.',
    "Le formulaire de votre site m'indique que mon {adresse|numéro|code postal} est {faux|inconnu}. Pouvez-vous m'inscrire pour {lundi|le stage|l'atelier} ?",
  ],
  spam: [
    'Hello, I checked {your site|your website} and found {errors|issues} that keep it from ranking higher in search engines. Can I send you a {free audit|quote}?',
    'Hi there, do you accept guest posts on your blog? We pay ${30|60|120} for each article with {one|two} dofollow links.',
    'Your domain is listed for {expiration|termination}. Act now to keep your search engine listing: https://{domain|listing}-{renew|notice}.example.com/{1|2|3}',
    'I made ${4,300|7,900|12,000} last month with this {AI trading bot|bitcoin system}. See how: https://bit.ly/{3xA|9kQ|2zP}{r|t}',
    'We have a database of {10|25|60} million business leads, sorted by country. Email lists from ${59|89}. Reply for a sample.',
    'Need funding? We give unsecured loans from ${5,000|20,000} to ${500,000|2,000,000}, bad credit is no problem. Apply: https://{cash|fund}{ly|now}.example.loan',
    '{Hot|Lonely} single women in your area want to meet you tonight, join free: http://{meet|date}{her|me}.example.club',
    'Congratulations! You have won {a new phone|$1,000,000|a gift card}. Click here to claim your prize within {24|48} hours.',
    'I am the lawyer of a deceased client who left {8.5|12|24} million dollars, and you share the surname. Write to me as next of kin.',
    'Cheap replica watches, {Rolex|Omega|Cartier}, free shipping: www.{lux|time}{copy|best}.example.shop',
    'Grow your {Instagram|TikTok|YouTube} with {1000|5000|10000} real followers for ${9|19|29}. Order today at https://{grow|boost}social.example.com',
    'We design modern websites and mobile apps for small firms. Our web development company in {Delhi|Lahore|Dhaka} works for ${10|12} an hour.',
    'Das beste Online-Casino mit {100|250} Freispielen und {500|1000} Euro Bonus: https://{spiel|gluck}{halle|24}.example.xyz',
    'Verdienen Sie {300|800|1500} Euro am Tag mit Kryptowährungen. Diese Plattform arbeitet von allein: https://t.me/{krypto|geld}{profi|bot}',
    'Wir bieten hochwertige Backlinks und Linkaufbau für {Ihre Webseite|Ihren Shop} ab {39|79} Euro im Monat.',
    'Potenzmittel {Viagra|Kamagra} rezeptfrei kaufen, {diskrete|schnelle} Lieferung: https://{apo|potenz}{24|shop}.example.top',
    'Ihre Geldanlage mit {12|18|25} % Rendite im Monat, ohne Risiko. Tragen Sie sich hier ein: https://{rendite|anlage}.example.online',
    'Consiga préstamos rápidos de hasta {3.000|30.000} euros sin papeleo. Haga clic aquí: https://{credito|dinero}{ya|24}.example.site',
    'Apuestas deportivas con bono de {100|150} euros, regístrese hoy en https://{gana|apuesta}{bet|plus}.example.com',
    'Invierta en bitcoin con nuestra plataforma y obtenga ingresos pasivos de {200|450} euros {por semana|al día}.',
    'Vendemos base de datos de empresas de {España|México|Chile} con {50.000|200.000} correos para su campaña.',
    "Besoin d'argent ? Nous accordons des crédits rapides de {2.000|10.000} à {50.000|500.000} euros, réponse sous {24|48} heures, même interdit bancaire.",
    'Améliorez le référencement naturel de votre site et obtenez plus de visiteurs, à partir de {49|99} euros par mois.',
    'Découvrez le meilleur casino en ligne, {100|200} tours gratuits sans dépôt : https://{jeu|chance}{vip|or}.example.info',
    "Grande voyante, {retour d'affection|retour de l'être aimé} en {3|7} jours, travail {sérieux|garanti}. Appelez le maître {Kofi|Sana|Diallo}.",
    '<a href="http://{cheap|best}-{shoes|bags}.example.com">{cheap|best} {shoes|bags}</a> great article, thanks for sharing',
    'Hello! I am {Mia|Eric|Julia}. I noticed that visitors of your site leave without writing to you. Our chat tool turns them into customers, watch the demo: https://{talk|chat}{lead|win}.example.com',
    'Wir suchen Partner für {Solaranlagen|Leads|Versicherungen}: neue Kunden ohne Aufwand, {Termin|Gespräch} hier buchen https://{lead|kunden}.example.com',
  ],
}

import { collection, detail, newestFirst } from '../record/endpoint.ts'
import {
  email,
  id,
  nullable,
  oneOf,
  personal,
  phone,
  text,
  textList,
  textsByName,
  timestamp,
} from '../record/field.ts'
import { emailFilter, idFilter, phoneFilter, window } from '../record/filter.ts'
import { derived, headed, orElse, orNow, updatedAt, writtenAs } from '../record/resource-field.ts'
import { resource } from '../record/resource.ts'
import { attributeBounds } from '../limits/limits.ts'
import { emailKey } from '../text/typed-text.ts'

const consents = ['subscribed', 'unsubscribed', 'unknown'] as const

const [subscribed, unsubscribed] = consents

/**
 * What people write for a consent in a spreadsheet, and what spreadsheet programs write for a ticked box, in English, German,
 * Spanish and French.
 */
const consentWords = new Map<string, (typeof consents)[number]>([
  ...consents.map((consent) => [consent, consent] as const),
  ...['yes', 'y', 'true', '1', 'x', 'ja', 'j', 'wahr', 'sí', 'si', 'verdadero', 'oui', 'vrai'].map(
    (word) => [word, subscribed] as const,
  ),
  ...['no', 'n', 'false', '0', 'nein', 'falsch', 'falso', 'non', 'faux'].map(
    (word) => [word, unsubscribed] as const,
  ),
])

function consent(heads: readonly string[]) {
  return headed(writtenAs(orElse(personal(oneOf(consents), 'unsubscribed'), 'unknown'), consentWords), heads)
}

/** What people write at the head of a column, in English, German, Spanish and French. */
const heads = {
  contactId: ['Customer ID', 'Kundennummer', 'Kunden-Nr.', 'Numero de cliente', 'Numero client'],
  firstName: [
    ...[
      'Given name',
      'Forename',
      'First',
      'Vorname',
      'Rufname',
      'Nombre',
      'Nombres',
      'Nombre de pila',
      'Prenom',
    ],
  ],
  lastName: [
    ...[
      'Surname',
      'Family name',
      'Last',
      'Nachname',
      'Familienname',
      'Zuname',
      'Apellido',
      'Apellidos',
      'Nom',
    ],
    ...['Nom de famille'],
  ],
  email: [
    ...['E-mail', 'Mail', 'Email address', 'E-mail address', 'Mail address', 'E-mail-Adresse', 'Mailadresse'],
    ...['Correo', 'Correo electronico', 'Direccion de correo', 'Courriel', 'Adresse e-mail', 'Adresse mail'],
    ...['Adresse electronique'],
  ],
  phone: [
    ...[
      'Mobile',
      'Mobile phone',
      'Mobile number',
      'Cell',
      'Cell phone',
      'Cellphone',
      'Tel',
      'Telephone',
      'Phone number',
    ],
    ...[
      'Telephone number',
      'Phone no',
      'Tel no',
      'Telefon',
      'Telefonnummer',
      'Tel.-Nr.',
      'Handy',
      'Handynummer',
      'Mobil',
    ],
    ...[
      'Mobilnummer',
      'Mobiltelefon',
      'Rufnummer',
      'Telefono',
      'Telefono movil',
      'Movil',
      'Celular',
      'Numero de telefono',
    ],
    ...['Portable', 'Telephone portable', 'Numero de telephone', 'No de telephone'],
  ],
  licensePlate: [
    ...['License plate number', 'Licence plate', 'Plate', 'Number plate', 'Registration', 'Kennzeichen'],
    ...[
      'Kfz-Kennzeichen',
      'Nummernschild',
      'Matricula',
      'Placa',
      'Immatriculation',
      "Plaque d'immatriculation",
    ],
  ],
  tags: ['Labels', 'Etiketten', 'Etiquetas', 'Etiquettes'],
  // None that may be a day, a number or the opposite, such as "Subscribed", "SMS" or "Opt-out".
  emailConsent: [
    ...['Newsletter', 'Newsletter opt-in', 'Newsletter consent', 'Email opt-in', 'Email marketing'],
    ...[
      'Email marketing consent',
      'Email marketing opt-in',
      'Email subscription status',
      'Marketing consent',
    ],
    ...['Marketing opt-in', 'Accepts marketing', 'Accepts email marketing', 'Newsletter abonniert'],
    ...['Newsletter-Einwilligung', 'E-Mail-Einwilligung', 'E-Mail-Werbung', 'Werbeeinwilligung'],
    ...['Einwilligung Newsletter', 'Einwilligung E-Mail', 'Boletín', 'Boletín informativo'],
    ...['Consentimiento de correo', 'Infolettre', "Lettre d'information", 'Consentement e-mail'],
  ],
  smsConsent: [
    ...['SMS opt-in', 'SMS marketing', 'SMS marketing consent', 'SMS marketing opt-in', 'Text opt-in'],
    ...['SMS subscription status', 'Text message opt-in', 'Text message consent', 'Accepts SMS marketing'],
    ...['SMS-Einwilligung', 'SMS-Werbung', 'SMS-Newsletter', 'Einwilligung SMS', 'Consentimiento de SMS'],
    ...['Consentimiento SMS', 'Consentement SMS'],
  ],
} as const

export const contacts = resource({
  name: 'Contact',
  collection: 'contacts',
  description: 'A person the organization knows.',
  idField: 'contactId',
  person: { by: 'contactId', carriedIn: [] },
  removal: true,
  events: ['contact.created', 'contact.updated', 'contact.removed'],
  selectsFew: { emailKey: 'createdAt', phone: 'createdAt' },
  fields: {
    contactId: headed(id(), heads.contactId),
    firstName: headed(personal(nullable(text())), heads.firstName),
    lastName: headed(personal(nullable(text())), heads.lastName),
    email: headed(personal(nullable(email())), heads.email),
    phone: headed(personal(nullable(phone())), heads.phone),
    licensePlate: headed(personal(nullable(text())), heads.licensePlate),
    tags: headed(orElse(personal(textList(), []), []), heads.tags),
    emailConsent: consent(heads.emailConsent),
    smsConsent: consent(heads.smsConsent),
    source: personal(nullable(text())),
    siteId: nullable(id()),
    attributes: orElse(personal(textsByName(attributeBounds), {}), {}),
    createdAt: orNow(timestamp()),
    updatedAt: updatedAt(),
  },
  hidden: {
    /** Addresses are published as given; filters compare this normalised form. */
    emailKey: derived(personal(nullable(text()))),
  },
  derive: { emailKey: ({ email }) => (email === null ? null : emailKey(email)) },
})

export const listContacts = collection({
  id: 'contacts.list',
  path: '/api/v1/contacts',
  tag: 'Contacts',
  summary: 'List contacts',
  resource: contacts,
  filters: {
    email: emailFilter('emailKey', 'Only contacts with this email address, whatever its case.'),
    phone: phoneFilter(
      'phone',
      "Only contacts with this phone number; a national form is read in the organization's country.",
    ),
    siteId: idFilter('siteId', 'Only contacts of this site.'),
    ...window('createdAt'),
    ...window('updatedAt'),
  },
  order: newestFirst('createdAt', 'contactId'),
})

export const getContact = detail({
  id: 'contacts.get',
  path: '/api/v1/contacts/{contactId}',
  tag: 'Contacts',
  summary: 'Retrieve a contact',
  resource: contacts,
})

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
import { derived, headed, orElse, orNow, updatedAt } from '../record/resource-field.ts'
import { resource } from '../record/resource.ts'
import { attributeBounds } from '../limits/limits.ts'
import { emailKey } from '../text/email-address.ts'

const consents = ['subscribed', 'unsubscribed', 'unknown'] as const

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
    emailConsent: orElse(personal(oneOf(consents), 'unsubscribed'), 'unknown'),
    smsConsent: orElse(personal(oneOf(consents), 'unsubscribed'), 'unknown'),
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

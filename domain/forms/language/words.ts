import type { Sentences } from './words/en.ts'
import type { Language } from './definition.ts'

export type SentenceKey = keyof Sentences

type Values = Readonly<Record<string, string | number>>

/**
 * A sentence to a visitor before it is said in a language: its key, and the values that it names. A bound (`min`, `max`)
 * is a number or a day, and is written as the language writes it, and so is a minute.
 */
export type Sentence = readonly [key: SentenceKey, values?: Values]

/** The settings of a form that choose how the service speaks to its visitors; left out or null: in English. */
export interface Voice {
  readonly language?: Language | null | undefined
  readonly texts?: Readonly<Record<string, string>> | null | undefined
}

/** Says sentences. What is a text already stays as it is. */
export interface Say {
  (said: Sentence | string): string
  /** What the sentences are in: a tag as HTML's `lang` takes it (BCP 47). */
  readonly language: Language
}

/** @param sentences in the language of the voice, at least those that will be said */
export function sayer(
  { language, texts }: Voice,
  sentences: Readonly<Partial<Record<SentenceKey, string>>>,
): Say {
  const spoken = language ?? 'en'
  const own = ownTexts(texts)
  const say = (said: Sentence | string): string => {
    if (typeof said === 'string') return said
    const [key, values = {}] = said
    const template = own.get(key) ?? sentences[key] ?? key
    return template.replaceAll(/\{(\w+)\}/g, (braced, name: string) =>
      Object.hasOwn(values, name) ? written(values[name] ?? '', spoken) : braced,
    )
  }
  return Object.assign(say, { language: spoken })
}

/** The texts of a form that say something, by key. */
export function ownTexts(texts: Voice['texts']): ReadonlyMap<string, string> {
  return new Map(Object.entries(texts ?? {}).filter(([, text]) => text.trim() !== ''))
}

const days: Readonly<Record<Language, string>> = {
  en: '$1-$2-$3',
  de: '$3.$2.$1',
  es: '$3/$2/$1',
  fr: '$3/$2/$1',
}

/** A value as a language writes it; of a text, a day or a minute (`readableMinute`). */
export function written(value: string | number, language: Language): string {
  if (typeof value === 'number') return language === 'en' ? String(value) : String(value).replace('.', ',')
  return value.replace(/^(\d{4})-(\d\d)-(\d\d)(?=$| \d\d:\d\d UTC$)/, days[language])
}

const languagesOnDemand = {
  en: () => import('./words/en.ts'),
  de: () => import('./words/de.ts'),
  es: () => import('./words/es.ts'),
  fr: () => import('./words/fr.ts'),
} satisfies Readonly<Record<Language, () => Promise<{ readonly sentences: Sentences }>>>

/** The sentences of a language, which the first form that needs them loads. */
export async function sentencesOf(language: Language): Promise<Sentences> {
  return (await languagesOnDemand[language]()).sentences
}

/** Speaks as a form wants it. */
export async function sayerOf(voice: Voice): Promise<Say> {
  return sayer(voice, await sentencesOf(voice.language ?? 'en'))
}

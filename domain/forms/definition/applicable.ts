import { answerTypes, type AnswerType, type DisplayType, type FormField } from './definition.ts'

type FieldType = AnswerType | DisplayType

const typed: readonly FieldType[] = ['short_text', 'long_text', 'email', 'phone']
const choices: readonly FieldType[] = ['single_choice', 'multiple_choice']
const bounded: readonly FieldType[] = ['number', 'date']

/** The types on which each setting has an effect, for the settings that not every type has. */
const typesBySetting = {
  options: choices,
  required: answerTypes,
  placeholder: [...typed, 'number'],
  helpText: answerTypes,
  min: bounded,
  max: bounded,
  minLength: typed,
  maxLength: typed,
  contactField: [...typed, 'single_choice'],
} satisfies Partial<Readonly<Record<keyof FormField, readonly FieldType[]>>>

/** A setting that not every type of field has. */
export type LimitedSetting = keyof typeof typesBySetting

/** The settings that not every type of field has. */
export const limitedSettings = Object.keys(typesBySetting) as readonly LimitedSetting[]

/** Whether a setting has an effect on fields of a type. */
export function hasEffect(setting: LimitedSetting, type: FieldType): boolean {
  const types: readonly FieldType[] = typesBySetting[setting]
  return types.includes(type)
}

/** Whether the answers of a field are text, so that a contact attribute can be read from them. */
export function takesText({ type }: Pick<FormField, 'type'>): boolean {
  return hasEffect('contactField', type)
}

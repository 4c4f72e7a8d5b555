import { keysOf } from '../../../domain/text/encoding.ts'
import { serviceFlags, type Command } from '../command.ts'
import type { CommandWords } from '../../../domain/record/command.ts'

/** Every point of the command lines at which something is known of what comes next. */
export function completionEntries(commands: readonly CommandWords[]): readonly Entry[] {
  const firsts = [...new Set(commands.map(({ words: [first = ''] }) => first))]
  const begun = firsts.flatMap((first) => {
    const group = commands.filter(({ words }) => words[0] === first && words.length > 1)
    const next = group.map(({ words, summary }) => ({ word: words[1] ?? '', does: summary }))
    return next.length === 0 ? [] : [{ at: first, next }]
  })
  const start = firsts.map((word) => {
    const alone = commands.find(({ words }) => words.length === 1 && words[0] === word)
    return { word, does: alone?.summary ?? '' }
  })
  const always = [{ word: 'help', does: 'Explain a command' }, { word: '--version' }]
  return [{ at: '', next: [...start, ...always] }, ...begun, ...commands.flatMap(entriesOf)]
}

/** A word that can come next, and what it does. */
interface Candidate {
  readonly word: string
  readonly does?: string
}

/**
 * What can come next at one point of a command line. The point is named by the words before it: `org`, `org create`; a
 * flag whose value comes next: `org create --place`; or the number of a positional argument: `import <1>`.
 */
interface Entry {
  readonly at: string
  /** The words; `files`: the path of a file. Empty: any text. */
  readonly next: readonly Candidate[] | 'files'
}

function entriesOf({ words, positionals, choices = {}, flags }: CommandWords): readonly Entry[] {
  const at = words.join(' ')
  const all = { ...flags, ...serviceFlags }
  const names = [...Object.keys(all), 'help'].map((name) => ({ word: `--${name}` }))
  const values = Object.entries(all).flatMap(([name, flag]) =>
    flag.value === null ? [] : [{ at: `${at} --${name}`, next: valuesOf(flag.value, flag.choices) }],
  )
  const arguments_ = positionals.map((name, index) => {
    return { at: `${at} <${index + 1}>`, next: valuesOf(name, choices[name] ?? null) }
  })
  return [{ at, next: names }, ...values, ...arguments_]
}

/** What can stand for a placeholder. */
function valuesOf(placeholder: string, choices: readonly string[] | null): Entry['next'] {
  if (/FILE\]?$|^DIR$/.test(placeholder)) return 'files'
  return (choices ?? []).map((word) => ({ word }))
}

/** The name by which a shell calls the program. */
const PROGRAM = 'tenant-data'

/** Stands for the path of a file among the words. */
const FILES = '<file>'

/** The lines that a shell prints for an entry: a word, and after a tab what it does. */
function linesOf({ next }: Entry): readonly string[] {
  if (next === 'files') return [FILES]
  return next.map(({ word, does = '' }) => (does === '' ? word : `${word}\t${does}`))
}

/** The function that knows the entries, in the language of bash and zsh. */
function posixWords(entries: readonly Entry[]): string {
  const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`
  const cases = entries.map((entry) => {
    const lines = linesOf(entry)
    const print = lines.length === 0 ? ':' : `printf '%s\\n' ${lines.map(quoted).join(' ')}`
    return `    ${quoted(entry.at)}) ${print} ;;`
  })
  return ['_tenant_data_words() {', '  case $1 in', ...cases, '    *) return 1 ;;', '  esac', '}'].join('\n')
}

/** Names the point of a command line whose words are given: the current one, and those before it. */
const POSIX_POINT = String.raw`_tenant_data_point() {
  local current=$1 called='' flag='' position=1 word
  shift
  for word; do
    if [ -n "$flag" ]; then flag=''; continue; fi
    case $word in
      help) [ -z "$called" ] || position=$((position + 1)) ;;
      -*) if _tenant_data_words "$called $word" > /dev/null; then flag=$word; fi ;;
      *)
        if _tenant_data_words "${'$'}{called:+$called }$word" > /dev/null; then
          called="${'$'}{called:+$called }$word"
        else
          position=$((position + 1))
        fi ;;
    esac
  done
  case $current in -*) position=none ;; esac
  if [ -n "$flag" ]; then printf '%s\n' "$called $flag"
  elif _tenant_data_words "$called <$position>" > /dev/null; then printf '%s\n' "$called <$position>"
  else printf '%s\n' "$called"
  fi
}`

const BASH = String.raw`_tenant_data() {
  local current=${'$'}{COMP_WORDS[COMP_CWORD]} lines
  lines=$(_tenant_data_words "$(_tenant_data_point "$current" "${'$'}{COMP_WORDS[@]:1:COMP_CWORD-1}")" | cut -f1)
  local IFS=$'\n'
  if [ "$lines" = '${FILES}' ]; then
    compopt -o filenames 2> /dev/null
    COMPREPLY=($(compgen -f -- "$current"))
  else
    COMPREPLY=($(compgen -W "$lines" -- "$current"))
  fi
}
complete -F _tenant_data ${PROGRAM}`

const ZSH = String.raw`_tenant_data() {
  local point=$(_tenant_data_point "${'$'}{words[CURRENT]}" "${'$'}{(@)words[2,CURRENT-1]}")
  local -a lines=("${'$'}{(@f)$(_tenant_data_words "$point")}")
  if [[ "$lines" == '${FILES}' ]]; then
    _files
  elif [[ -n "$lines" ]]; then
    local -a names=("${'$'}{(@)lines%%$'\t'*}") shown=("${'$'}{(@)lines/$'\t'/  -- }")
    compadd -l -d shown -- "${'$'}{(@)names}"
  fi
}
compdef _tenant_data ${PROGRAM}`

const FISH = String.raw`function __tenant_data_next
    set -l before (commandline -opc)
    set -e before[1]
    set -l called ''
    set -l flag ''
    set -l position 1
    for word in $before
        if test -n "$flag"
            set flag ''
        else if string match -q -- '-*' $word
            __tenant_data_words "$called $word" > /dev/null; and set flag $word
        else if __tenant_data_words (string trim -- "$called $word") > /dev/null
            set called (string trim -- "$called $word")
        else if test "$word" != help -o -n "$called"
            set position (math $position + 1)
        end
    end
    set -l point "$called <$position>"
    if test -n "$flag"
        set point "$called $flag"
    else if string match -q -- '-*' (commandline -ct); or not __tenant_data_words $point > /dev/null
        set point $called
    end
    set -l lines (__tenant_data_words "$point")
    if test "$lines" = '${FILES}'
        __fish_complete_path (commandline -ct)
    else
        string join -- \n $lines
    end
end
complete -c ${PROGRAM} -f -a '(__tenant_data_next)'`

function fishWords(entries: readonly Entry[]): string {
  const quoted = (text: string) =>
    `'${text.replaceAll('\\', String.raw`\\`).replaceAll("'", String.raw`\'`)}'`
  const cases = entries.flatMap((entry) => {
    const lines = linesOf(entry)
    const print = lines.length === 0 ? 'true' : `printf '%s\\n' ${lines.map(quoted).join(' ')}`
    return [`        case ${quoted(entry.at)}`, `            ${print}`]
  })
  return [
    'function __tenant_data_words',
    '    switch "$argv[1]"',
    ...cases,
    "        case '*'",
    '            return 1',
    '    end',
    'end',
  ].join('\n')
}

/** Makes the completion script of each shell from what can come next at each point. */
export const completionScripts = {
  bash: (entries: readonly Entry[]) => [posixWords(entries), POSIX_POINT, BASH].join('\n'),
  zsh: (entries: readonly Entry[]) => [posixWords(entries), POSIX_POINT, ZSH].join('\n'),
  fish: (entries: readonly Entry[]) => [fishWords(entries), FISH].join('\n'),
} as const

const shells = keysOf(completionScripts)

const completionCommand: Command = {
  words: ['completion'],
  positionals: ['SHELL'],
  choices: { SHELL: shells },
  flags: {},
  summary: 'Print the script by which a shell completes the commands of "tenant-data"',
  details: [
    'SHELL is bash, zsh or fish. In ~/.bashrc, or in ~/.zshrc after compinit:',
    '  source <(tenant-data completion bash)',
    'For fish: tenant-data completion fish > ~/.config/fish/completions/tenant-data.fish',
  ],
  examples: ['bash', 'zsh'],
  operations: [],
  run: async ({ commands, out }, { positionals: [given] }) => {
    const shell = shells.find((known) => known === given)
    if (shell !== undefined) out(completionScripts[shell](completionEntries(await commands())))
  },
}

export const commands = [completionCommand]

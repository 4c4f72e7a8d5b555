/** What is recognised as a secret wherever it stands: the service's keys, and the secret keys of age. */
const SECRETS = /\b([cpo]k_live_|AGE-SECRET-KEY-1)[\w-]+/gi
const NAMES = ['OPERATOR_KEY', 'ROOT_SECRET']
/** What is shorter is no secret, and may be a part of any word. */
const SECRET_LENGTH_MIN = 8

/**
 * Lines for the terminal without the secrets that the person gave: a message may repeat what it is about, and terminals
 * are recorded. Only the beginning of a key stays, which says of what kind it is.
 * @param args the arguments of the command
 */
export function withoutSecrets(
  lines: string,
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): string {
  const keyFlags = args.flatMap((arg, index) =>
    arg === '--key' ? [args[index + 1]] : arg.startsWith('--key=') ? [arg.slice('--key='.length)] : [],
  )
  const given = [...keyFlags, ...NAMES.map((name) => environment[name])].filter(
    (secret) => secret !== undefined && secret.length >= SECRET_LENGTH_MIN,
  )
  return given.reduce<string>(
    (text, secret = '') => text.replaceAll(secret, '…'),
    lines.replaceAll(SECRETS, '$1…'),
  )
}

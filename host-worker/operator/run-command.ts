import { chooseService, type Choice, type Sources } from './client/service/choose-service.ts'
import { loginPath, readLogin } from './client/login-file.ts'
import { explainMissing } from './client/missing.ts'
import { openService, type OpenedService, type Surroundings } from './client/service/open-service.ts'
import type { OperatorService } from './client/service/operator-service.ts'
import type { Arguments, Command } from './command/command.ts'
import { textOf } from './command/arguments.ts'
import type { Context, Streams } from './command/context.ts'
import { allCommands } from './commands.ts'

/** The environment of the commands: that of the machine, or of a test. */
export interface Host extends Omit<Surroundings, 'note'>, Pick<Sources, 'deployed'> {
  readonly askKey: Context['askKey']
  /** By what a person calls the commands. */
  readonly program: string
}

/** Runs a command, and ends the services that were opened for it. */
export async function runCommand(
  command: Command,
  given: Arguments,
  streams: Streams,
  host: Host,
): Promise<void> {
  const opened: Promise<OpenedService>[] = []
  const open = async (choice: Choice) => {
    const opening = openService(choice, { ...host, note: streams.note })
    opened.push(opening)
    return (await opening).service
  }
  let chosen: Promise<OperatorService> | null = null
  const path = loginPath(host.environment)
  const sources = sourcesOf(given, host, path)
  const context: Context = {
    ...streams,
    sources,
    service: (without) => (chosen ??= open(chooseService(sources, without ?? null))),
    open,
    loginPath: path,
    askKey: (question) => host.askKey(question),
    commands: allCommands,
  }
  try {
    await command.run(context, given)
  } catch (error) {
    const named = [...Object.values(given.values), ...given.positionals].filter(
      (value) => typeof value === 'string',
    )
    // The service that was asked last.
    const asked = await opened.at(-1)?.catch(() => undefined)
    throw asked === undefined ? error : await explainMissing(error, named, asked.service)
  } finally {
    const services = await Promise.allSettled(opened)
    for (const service of services) if (service.status === 'fulfilled') await service.value.close()
  }
}

function sourcesOf({ values }: Arguments, { environment, deployed }: Host, path: string): Sources {
  const flags = { url: textOf(values, 'url'), key: textOf(values, 'key'), remote: values.remote === true }
  return { flags, environment, login: () => readLogin(path), deployed }
}

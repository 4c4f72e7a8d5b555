import { join } from 'node:path'
import ts from 'typescript'
import { projectRoot } from '../../host-worker/local/project.ts'
import { textOf } from './project.ts'

/** What the compiler says about something that is no longer used. A mutant is not refused for what it leaves over. */
const UNUSED = new Set([6133, 6138, 6192, 6196, 6198, 6199, 7027])

/** Tells whether files would still compile with another text. */
export interface Compiler {
  /** The project as it is. */
  program(): ts.Program
  compiles(file: string, text: string): boolean
}

/** The compiler of the project. Only the changed file is checked, so that a check takes a fraction of a second. */
export function createCompiler(): Compiler {
  const read = ts.readConfigFile(join(projectRoot, 'tsconfig.json'), (path) => ts.sys.readFile(path))
  const { options, fileNames } = ts.parseJsonConfigFileContent(read.config, ts.sys, projectRoot)
  const changed = new Map<string, { readonly version: number; readonly text: string }>()
  const host: ts.LanguageServiceHost = {
    getCompilationSettings: () => options,
    getScriptFileNames: () => fileNames,
    getScriptVersion: (path) => String(changed.get(path)?.version ?? 0),
    getScriptSnapshot: (path) => {
      const text = changed.get(path)?.text ?? ts.sys.readFile(path)
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text)
    },
    getCurrentDirectory: () => projectRoot,
    getDefaultLibFileName: (given) => ts.getDefaultLibFilePath(given),
    fileExists: (path) => ts.sys.fileExists(path),
    readFile: (path) => ts.sys.readFile(path),
    readDirectory: (...given) => ts.sys.readDirectory(...given),
    directoryExists: (path) => ts.sys.directoryExists(path),
    getDirectories: (path) => ts.sys.getDirectories(path),
  }
  const service = ts.createLanguageService(host)
  let version = 0
  const put = (path: string, text: string): void => {
    version += 1
    changed.set(path, { version, text })
  }
  return {
    program() {
      const program = service.getProgram()
      if (program === undefined) throw new Error('The project could not be read')
      return program
    },
    compiles(file, text) {
      const path = join(projectRoot, file)
      put(path, text)
      const found = [...service.getSyntacticDiagnostics(path), ...service.getSemanticDiagnostics(path)]
      put(path, textOf(file))
      return found.every(({ code }) => UNUSED.has(code))
    },
  }
}

import { parseArguments } from './parse-arguments.ts'
import type { Tool } from './define-tool.ts'
import type { Host } from './host.ts'
import { type ErrorStyle, exitStatusOf, renderError } from './render-error.ts'
import { renderHelp } from './render-help.ts'
import { READER_GONE, streamOutput } from './result-output.ts'
import type { Surroundings } from './perform.ts'
import { version } from './version.ts'

/**
 * Runs a tool from command line to exit status; resolves when all its output has been written. Whatever carries out the work is
 * imported only if the command line asks for work.
 */
export async function executeTool(tool: Tool, { host, interruption }: Omit<Surroundings, 'args'>): Promise<number> {
  const output = streamOutput(host.output)
  try {
    const request = parseArguments(tool, host)
    if (request.kind === 'run') {
      const { carryOut } = await import('./carry-out.ts')
      return await carryOut(tool, request.args, { host, interruption, output })
    }
    const help = async (): Promise<string> => renderHelp(tool, await tool.findHelp?.(host))
    await output.print(request.kind === 'help' ? await help() : `${tool.name} ${version}\n`)
    return output.cutShort ? READER_GONE : 0
  } catch (error) {
    host.errors.write(renderError(error, { tool: tool.name, ...probableStyle(host) }))
    return exitStatusOf(error)
  }
}

/** Guesses the style of errors for a command line that could not be parsed. */
function probableStyle({ argv, environment }: Host): Omit<ErrorStyle, 'tool'> {
  const json = environment.DAVIT_LOG_FORMAT === 'json' || /--log-format[= ]json( |$)/.test(argv.join(' '))
  return { format: json ? 'json' : 'text', debug: argv.includes('--debug') }
}

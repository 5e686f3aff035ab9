import { DavitError, ExitStatus } from '@davit/diagnostics'

/** The JSON object of `--extra-params`. */
export function parseExtraParameters(text: string | undefined): Readonly<Record<string, unknown>> {
  if (text === undefined) return {}
  const value = parse(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid('it is no object')
  return value as Readonly<Record<string, unknown>>
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw invalid(error instanceof Error ? error.message : String(error))
  }
}

function invalid(reason: string): DavitError {
  return new DavitError('invalid-parameters', `cannot read --extra-params as JSON: ${reason}`, {
    exitStatus: ExitStatus.usage,
    hint: `for example --extra-params '{"port": 8080}'`,
  })
}

import { messages, note, warning } from '@davit/diagnostics'

export const say = messages({
  /** The module of a service will refuse or ignore a setting in the package of the service. Correct the file. */
  'component-doubtful': warning(
    { service: 'text', problem: 'text', file: 'text?', line: 'number?', hint: 'hint?' },
    ({ service, problem, file, line }) =>
      `service '${service}': ${file === undefined ? '' : `${file}:${line ?? ''} `}${problem}`,
  ),
  /**
   * The profiles of a deployment model, or of a manifest of Disnix, lack modules: new ones have them, and everything of the old ones. What
   * Dysnomia has to have is looked for on the targets.
   */
  'modules-added': note(
    { targets: 'texts', modules: 'texts', ofDysnomia: 'texts' },
    ({ targets, modules, ofDysnomia }) => {
      const sources = [
        ...(modules.length === 0 ? [] : [`${quoted(modules)} of davit`]),
        ...(ofDysnomia.length === 0 ? [] : [`${quoted(ofDysnomia)} of the Dysnomia that is there`]),
      ]
      return `made new profiles for ${quoted(targets)} with the modules that they lack: ${sources.join(', ')}`
    },
  ),
})

function quoted(names: readonly string[]): string {
  return names.map((name) => `'${name}'`).join(', ')
}

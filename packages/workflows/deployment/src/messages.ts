import { messages, note, warning } from '@davit/diagnostics'

export const say = messages({
  'given-up': note(
    { target: 'prefix', key: 'text', container: 'text', what: 'text' },
    ({ what }) => `gave up ${what}: its module was not called, and davit will no longer stop it`,
  ),
  'given-up-may-run': note(
    { target: 'prefix', key: 'text' },
    ({ key }) =>
      `it may still run; on the target, \`grep -lz '^DAVIT_KEY=${key}$' /proc/[0-9]*/environ\` finds its processes`,
  ),
  'given-up-record': note(
    { target: 'prefix', record: 'text', logs: 'text' },
    ({ record, logs }) =>
      `its record is now '${record}', its logs are still in '${logs}'; its package is no longer kept, and a deployment that contains it starts it again`,
  ),
  'other-module-tried': note(
    { target: 'prefix', service: 'text' },
    ({ service }) =>
      `cannot deactivate '${service}' with the module that activated it; trying the module of the manifest`,
  ),
  'taking-over': warning({ profile: 'text', targets: 'texts', counts: 'numbers' }, ({ profile, targets, counts }) => {
    const places = targets.map((target, index) => `${counts[index]} on '${target}'`).join(', ')
    return `taking over '${profile}', which was not deployed from this coordinator, with its services: ${places}`
  }),
  'others-here': note(
    { profiles: 'texts' },
    ({ profiles }) =>
      `nothing runs under this name; the targets have services of ${profiles.map((name) => `'${name}'`).join(', ')}`,
  ),
  'nothing-to-do': note({}, () => 'nothing to do'),
  'all-as-manifest': note({}, () => 'nothing to do: all services are as the manifest says'),
})

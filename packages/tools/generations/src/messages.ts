import { generationsText } from '@davit/coordinator-state'
import { messages, note, warning } from '@davit/diagnostics'

export const say = messages({
  'no-generations': note(
    { profile: 'text', reason: 'text' },
    ({ profile, reason }) => `there are no generations of '${profile}': ${reason}`,
  ),
  'no-generation-to-delete': note({}, () => 'there is no generation to delete'),
  'deployment-forgotten': warning(
    { generations: 'numbers' },
    ({ generations }) => `deleted ${generationsText(generations)}: the coordinator has forgotten the deployment`,
    'what runs on the targets keeps running there; davit-env --undeploy --take-over stops it',
  ),
  'target-forgotten': note(
    { target: 'text', services: 'texts' },
    ({ target, services }) => `forgot ${services.map((name) => `'${name}'`).join(', ')} on '${target}'`,
  ),
  'rollback-unfinished': note(
    { to: 'number' },
    ({ to }) => `the rollback to generation ${to} was not finished; continuing it`,
  ),
})

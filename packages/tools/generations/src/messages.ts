import { generationsText } from '@davit/coordinator-state'
import { messages, note, warning } from '@davit/diagnostics'

export const say = messages({
  /** The coordinator has no generations of this deployment. Check its name. */
  'no-generations': note(
    { profile: 'text', reason: 'text' },
    ({ profile, reason }) => `there are no generations of '${profile}': ${reason}`,
  ),
  /** Two generations do not differ: one returned to the other, or only the order of lists in the manifest is different. */
  'no-difference': note(
    { from: 'number', to: 'number' },
    ({ from, to }) => `generations ${from} and ${to} do not differ`,
  ),
  /** What the generation was made from was changed, or damaged; its manifest is not concerned. */
  'made-from-unreadable': warning(
    { generation: 'number', reason: 'text' },
    ({ generation, reason }) => `cannot tell what generation ${generation} was made from: ${reason}`,
  ),
  /** Nothing was deleted, because no generation matches. */
  'no-generation-to-delete': note({}, () => 'there is no generation to delete'),
  /**
   * The coordinator has deleted everything that it knew about the deployment; its services keep running on the targets.
   * `davit-env --undeploy --take-over -i INFRASTRUCTURE` stops them.
   */
  'deployment-forgotten': warning(
    { generations: 'numbers' },
    ({ generations }) => `deleted ${generationsText(generations)}: the coordinator has forgotten the deployment`,
    'what runs on the targets keeps running there; davit-env --undeploy --take-over -i INFRASTRUCTURE stops it',
  ),
  /**
   * The coordinator no longer reports services that keep running on a target that was removed from the infrastructure.
   */
  'target-forgotten': note(
    { target: 'text', services: 'texts' },
    ({ target, services }) => `forgot ${services.map((name) => `'${name}'`).join(', ')} on '${target}'`,
  ),
  /** An earlier rollback was interrupted; this run completes it, and does not go back one generation further. */
  'rollback-unfinished': note(
    { to: 'number' },
    ({ to }) => `the rollback to generation ${to} was not finished; continuing it`,
  ),
})

import { messages, note } from '@davit/diagnostics'

export const say = messages({
  /** No service of the manifest has state that moves with it. Set `deployState` in the services model. */
  'no-deploy-state': note({}, () => "no service of the manifest has 'deployState', so there is nothing to do"),
  /** No state has moved between the two manifests. */
  'no-state-moved': note({}, () => 'no state has moved between the two manifests, so there is nothing to do'),
  /** There are no snapshots that match. */
  'no-snapshots': note({}, () => 'there are no such snapshots'),
})

import { messages, note, warning } from '@davit/diagnostics'

export const say = messages({
  /** A machine cannot be asked what it is: it cannot be reached, or gives no proper answer. What the model says of it stays. */
  'machine-not-asked': warning(
    { target: 'text', reason: 'text', hint: 'hint?' },
    ({ target, reason }) => `target '${target}' cannot be asked: ${reason}`,
  ),
  /** A target is reached through a client executable, which cannot tell what its machine is. It stays in the model as it is. */
  'machine-behind-client': note(
    { target: 'text', clientInterface: 'text' },
    ({ target, clientInterface }) =>
      `target '${target}' stays as it is, since it is reached through '${clientInterface}'`,
  ),
  /** A machine tells something that cannot be part of a model, such as a property with a reserved name. It is left out. */
  'machine-says-too-much': warning(
    { target: 'text', what: 'text', why: 'text' },
    ({ target, what, why }) => `target '${target}': left out ${what}: ${why}`,
  ),
  /** The settings of Dysnomia on a machine have a mistake. What comes after it is not part of the model. */
  'settings-unreadable': warning(
    { target: 'text', reason: 'text' },
    ({ target, reason }) => `target '${target}': its settings for Dysnomia end at a mistake: ${reason}`,
    'correct the file there, and run the same command again',
  ),
  /** A model has attributes that davit does not read. There is no XML for them, so they are left out. */
  'attribute-not-in-xml': warning(
    { target: 'text', attribute: 'text' },
    ({ target, attribute }) => `target '${target}': left out '${attribute}', which XML cannot contain`,
  ),
  /** The entry of an ssh configuration cannot be a target, since its name cannot be the name of one. */
  'host-not-a-name': warning({ host: 'text' }, ({ host }) => `left out '${host}': it cannot be the name of a target`),
})

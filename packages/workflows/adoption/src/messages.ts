import { detail, messages, note, warning } from '@davit/diagnostics'

export const say = messages({
  /**
   * The record of a service was put aside because of `--replace`: Disnix has replaced the service since, or the record was damaged. Its module
   * was not called.
   */
  'record-put-aside': note(
    { target: 'prefix', service: 'text', record: 'text' },
    ({ service, record }) => `put aside what davit knew of '${service}': its record is now '${record}'`,
  ),
  /**
   * Of these types, davit has no module: it calls those that Dysnomia has on the targets. To deploy the models, make a manifest with
   * --modules, since they are not looked for on targets then.
   */
  'modules-of-dysnomia': note(
    { modules: 'texts' },
    ({ modules }) =>
      `${modules.map((name) => `'${name}'`).join(', ')}: davit calls the module of Dysnomia that is there`,
  ),
  /**
   * These services are in the profile of Disnix, and nobody has marked them as active: perhaps an activation of Disnix has failed. They are
   * adopted as the profile has them; `davit-query --status` tells whether they run, and `davit-env --repair` starts what does not.
   */
  'not-marked': warning(
    { target: 'prefix', components: 'texts' },
    ({ components }) => `${components.join(', ')}: in the profile of Disnix, but Dysnomia has not marked it as active`,
  ),
  /** The profile of Disnix on a target is now what davit has deployed. */
  'original-set': note({ target: 'prefix' }, () => 'the profile of Disnix is set'),
  /** The profile of Disnix on a target was what davit has deployed. */
  'original-unchanged': detail({ target: 'prefix' }, () => 'the profile of Disnix is unchanged'),
  /**
   * Snapshots that modules of davit have taken cannot be read by modules of Dysnomia. They stay where davit keeps them; the state itself is
   * where it was.
   */
  'snapshots-not-given': warning(
    { target: 'prefix', components: 'texts' },
    ({ components }) => `snapshots of ${components.join(', ')} stay with davit: modules of Dysnomia cannot read them`,
  ),
})

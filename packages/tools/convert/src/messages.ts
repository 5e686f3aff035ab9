import { messages, quoted, warning } from '@davit/diagnostics'

export const say = messages({
  /** A model was read as what `--kind` says, but looks like something else. Check `--kind`. */
  'looks-like': warning(
    { file: 'text', seen: 'text', wanted: 'text' },
    ({ file, seen, wanted }) => `'${file}' looks like ${seen}, not ${wanted}`,
  ),
  /** Something that was read is not part of the result, as `--lossy` allows. */
  'left-out': warning({ what: 'text' }, ({ what }) => `left out: ${what}`),
  /** A manifest of version 1 contains no properties. Check that the infrastructure model has those that the services need. */
  'old-properties': warning(
    {},
    () => 'version 1 has no properties of targets and containers: those of the infrastructure model are used',
  ),
  /**
   * A manifest of version 1 does not contain which services provide containers for others. Deploy from models if there
   * are such services.
   */
  'old-providers': warning(
    {},
    () =>
      'version 1 does not tell which services provide containers: none does in the result, so no service waits for its provider',
  ),
  /** Profiles of version 1 contain neither modules nor the profile manifest that davit reads back from targets. */
  'old-profiles': warning(
    {},
    () => 'the profiles are those of version 1, without profile manifests and modules',
    'deploy from models once, so that the targets have profiles of davit',
  ),
  /** A part of a manifest of version 1 has no counterpart in version 2, where the infrastructure model takes its place. */
  'old-section': warning({ section: 'text' }, ({ section }) => `${quoted(section)} of version 1 is not read`),
})

import { messages, note, warning } from '@davit/diagnostics'

export const say = messages({
  /** No run was cut off, as far as this coordinator and the targets know, or what it wanted has been reached since. */
  'nothing-wanted': note({ profile: 'text' }, ({ profile }) => `no run of '${profile}' was cut off: nothing to resume`),
  /** Only what is recorded here was read. Targets may know of a run of another coordinator, or of one whose record is lost. */
  'targets-not-asked': note({}, () => 'no infrastructure model was given: the targets were not asked'),
  /** The models of the deployment were written. */
  'models-written': note({ files: 'texts' }, ({ files }) => `wrote ${files.join(', ')}`),
  /** The packages of the models are in the Nix store, where davit-env has to look for them. */
  'models-need-nix': note({}, () => 'their packages are in the Nix store: deploy them with davit-env --store nix'),
  /** Something of the deployment cannot be in models of data; the models give something else. */
  'not-in-models': warning(
    { loss: 'text' },
    ({ loss }) => `the models differ from what is deployed: ${loss}`,
    "write 'pkg' as a function of the system in TypeScript or the Nix language",
  ),
})

import { messages, warning } from '@davit/diagnostics'

export const say = messages({
  /** `--use-substitutes` has no effect, because packages of the native store are not in any cache. */
  'no-caches': warning(
    {},
    () => 'packages of the native store are not in any cache; all that is missing is sent',
    '--use-substitutes only affects packages of Nix',
  ),
})

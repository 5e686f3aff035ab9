import { messages, warning } from '@davit/diagnostics'

export const say = messages({
  'no-caches': warning(
    {},
    () => 'packages of the native store are not in any cache; all that is missing is sent',
    '--use-substitutes has an effect on packages of Nix only',
  ),
})

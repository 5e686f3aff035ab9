import { messages, warning } from '@davit/diagnostics'

export const say = messages({
  'no-caches': warning(
    {},
    () => 'packages of the native store are in no cache: all that is missing is sent',
    '--use-substitutes is for packages of Nix',
  ),
})

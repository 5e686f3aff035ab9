import type { OptionTable } from './option.ts'

/** Options of tools that plan the way to a manifest. */
export const planOptions = {
  upgrade: { type: 'boolean', default: true, describe: 'deactivate services that the manifest does not contain' },
  repair: {
    type: 'boolean',
    describe:
      'restart only services that died, were interrupted, or ran before a reboot, and start what they depend on',
  },
  'restart-changed': {
    type: 'boolean',
    describe:
      'restart active services whose container properties, connectsTo or module differ from the manifest; without this option they are only reported',
  },
  migration: {
    type: 'boolean',
    default: true,
    describe:
      'move the state of services with them; without it, a service that moves begins anew, and its state stays where it was',
  },
  restore: {
    type: 'boolean',
    describe: 'give a service that begins anew the last snapshot that this coordinator keeps of an earlier deployment',
  },
  'take-over': {
    type: 'boolean',
    describe:
      'replace what was deployed under this name, although the manifest shares nothing with it; without this option, that is refused',
  },
  'beside-original': {
    type: 'boolean',
    describe:
      'start services that are also in a deployment of Disnix on the same target; without this option, that is refused until davit-adopt has taken that deployment over',
  },
} as const satisfies OptionTable

import { defineConfig } from 'vitest/config'

/** They run helpers, modules, servers and Nix, in the shells that targets have: as long as all the others together. */
const MACHINES = [
  'activate',
  'collect-garbage',
  'connection',
  'deployment-lock',
  'distribution',
  'lock',
  'modules',
  'nix',
  'target',
  'target-runtime',
]

const QUICK = {
  // Many tests wait for processes: more files at a time than the two processors that are asked for.
  maxWorkers: 3,
  // A process for many files, which keep to themselves: to import the same modules for each took a third of the time.
  isolate: false,
  testTimeout: 60_000,
  hookTimeout: 60_000,
} as const

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          ...QUICK,
          name: 'unit',
          include: ['packages/*/test/**/*.test.ts'],
          exclude: MACHINES.map((name) => `packages/${name}/**`),
        },
      },
      {
        test: {
          ...QUICK,
          name: 'machines',
          include: MACHINES.map((name) => `packages/${name}/test/**/*.test.ts`),
        },
      },
      {
        test: {
          name: 'hosts',
          include: ['test/**/*.test.ts'],
          globalSetup: ['test/harness/installation.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})

import { defineConfig } from 'vitest/config'

/** They run helpers, modules, servers and Nix, in the shells that targets have: as long as all the others together. */
const MACHINES = [
  'activate',
  'collect-garbage',
  'connection',
  'deployment',
  'deployment-lock',
  'distribution',
  'lock',
  'modules',
  'nix',
  'target',
  'target-runtime',
]

const EVERYWHERE = { setupFiles: ['test/harness/fail-at-warnings.ts'] }

/** Of the order of the test files: it must not matter, and left to itself it would be that of earlier runs. */
const SEED = Number(process.env['DAVIT_TEST_SEED'] || Date.now() % 1_000_000)

const QUICK = {
  ...EVERYWHERE,
  // Many tests wait for processes: more files at a time than the two processors that are asked for.
  maxWorkers: 3,
  // A process for many files, which keep to themselves: to import the same modules for each took a third of the time.
  isolate: false,
  testTimeout: 60_000,
  hookTimeout: 60_000,
} as const

export default defineConfig({
  test: {
    sequence: { shuffle: { files: true, tests: false }, seed: SEED },
    projects: [
      {
        test: {
          ...QUICK,
          name: 'unit',
          include: ['packages/*/*/test/**/*.test.ts'],
          exclude: MACHINES.map((name) => `packages/*/${name}/**`),
        },
      },
      {
        test: {
          ...QUICK,
          name: 'machines',
          include: MACHINES.map((name) => `packages/*/${name}/test/**/*.test.ts`),
        },
      },
      {
        test: {
          ...EVERYWHERE,
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

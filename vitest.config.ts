import { defineConfig } from 'vitest/config'
import { TEST_LIMIT } from './packages/tests/testing/src/wait.ts'
import { LongestFirst } from './scripts/longest-first.ts'

/** Tests that run helpers, modules, servers and Nix in the shells of targets, or a browser. They take longer than all others together. */
const MACHINES = 'packages/*/*/test/**/*.machines.test.ts'

/**
 * Seed for the order of the test files, and for what tests sample. The order must not matter; by default vitest would use that of earlier
 * runs.
 */
const SEED = Number(process.env['DAVIT_TEST_SEED'] || Date.now() % 1_000_000)

/** `DAVIT_BOOT_ROOT` keeps tests from having this machine start anything when it is restarted. */
const EVERYWHERE = {
  setupFiles: ['test/harness/fail-at-warnings.ts', 'scripts/test.d/charge-file.ts', 'scripts/test.d/note-reads.ts'],
  env: { DAVIT_BOOT_ROOT: '/nowhere', DAVIT_TEST_SEED: String(SEED) },
  testTimeout: TEST_LIMIT,
  hookTimeout: TEST_LIMIT,
}

const QUICK = {
  ...EVERYWHERE,
  // Many tests wait for processes, so more files run at a time than there are processors (two are expected).
  maxWorkers: 3,
  // Many files share a process, since importing the same modules for each file took a third of the time. Files do not interfere.
  isolate: false,
} as const

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst, shuffle: { files: true, tests: false }, seed: SEED },
    projects: [
      {
        test: {
          ...QUICK,
          name: 'unit',
          include: ['packages/*/*/test/**/*.test.ts'],
          exclude: [MACHINES],
        },
      },
      {
        test: {
          ...QUICK,
          name: 'machines',
          include: [MACHINES],
        },
      },
      {
        test: {
          ...EVERYWHERE,
          name: 'hosts',
          include: ['test/**/*.test.ts'],
          globalSetup: ['test/harness/installation.ts'],
          maxWorkers: 3,
          // Otherwise every file would compile the tools again that run in the process of the tests.
          isolate: false,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})

import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['packages/*/test/**/*.test.ts'],
          // Many tests wait for processes: more files at a time than the two processors that are asked for.
          maxWorkers: 3,
          // A process for many files, which keep to themselves: to import the same modules for each took a third of the time.
          isolate: false,
          testTimeout: 60_000,
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

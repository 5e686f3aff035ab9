import { defineDistribution } from 'davit'

export default defineDistribution(({ infrastructure }) => ({
  entries: [infrastructure['back']!],
  api: [infrastructure['back']!],
  page: [infrastructure['front']!],
}))

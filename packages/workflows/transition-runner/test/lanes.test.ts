import { expect, test } from 'vitest'

import { openLanes } from '../src/lanes.ts'

const lanesFor = (activity: string) => activity.split(' ').slice(1)
const open = () => openLanes<string>({ coresOf: () => 1, lanesOf: lanesFor })

test('an activity that takes no core begins at once, and once', () => {
  const lanes = open()
  lanes.wait('busy t')
  lanes.wait('record')
  expect(lanes.take().toSorted()).toEqual(['busy t', 'record'])
  expect(lanes.take()).toEqual([])
  lanes.giveBack('record')
  lanes.wait('note')
  expect(lanes.take()).toEqual(['note'])
})

test('an activity of two lanes waits until both are free, and blocks nobody meanwhile', () => {
  const lanes = open()
  for (const activity of ['first t', 'both t u', 'second u']) lanes.wait(activity)
  expect(lanes.take()).toEqual(['first t', 'second u'])
  lanes.giveBack('first t')
  expect(lanes.take()).toEqual([])
  lanes.giveBack('second u')
  expect(lanes.take()).toEqual(['both t u'])
})

import type { FileFigures, Stage } from './figures.ts'

/** Seconds of processor time by what used them, for each test file and stage. */
export type Where = Readonly<Record<string, Readonly<Record<string, number>>>>

/** What uses processor time, in the order of the table. What nobody saw run counts as the last: short-lived programs. */
export const CAUSES = ['tests', 'Node', 'Nix', 'servers', 'ssh', 'building', 'shells'] as const
export type Cause = (typeof CAUSES)[number]

/** What is charged if there are no control groups, and neither stages nor files can be distinguished. */
export const WHOLE = 'the whole run'

const LAST = 'shells' satisfies Cause
const SHOWN_FILES = 40

/** Names of processes, and what they are. The first row that fits counts. */
const PROGRAMS: readonly (readonly [RegExp, Cause])[] = [
  [/^(nix|nix-.*)$/, 'Nix'],
  [/^(ssh|sshd|sshd-.*|ssh-.*|sftp-server|scp)$/, 'ssh'],
  [/^(esbuild|tsc|tsgo|oxlint|tsgolint|oxfmt|rolldown)$/, 'building'],
  [
    /^(mysqld|mariadb.*|my_print_defaul|postgres|initdb|psql|redis-.*|nginx|apache2|java|influxd?|mongo.*|dockerd|docker.*|containerd.*|runc|supervisor.*|systemd.*|\(sd-.*|dbus-.*|cron|crond|openrc.*|chrom.*|svnserve|python3.*)$/,
    'servers',
  ],
  [/^(node|tsx|MainThread|npm.*)$/, 'Node'],
]

/** Returns what a process is, by its name and its command line. */
export function causeOf(name: string, commandLine: string, stage: string): Cause {
  if (stage === 'installation') return 'building'
  if (/vitest/.test(commandLine) && /^(node|MainThread)/.test(name)) return 'tests'
  if (/scripts\/(install|bundle|man)\b/.test(commandLine)) return 'building'
  return PROGRAMS.find(([names]) => names.test(name))?.[1] ?? LAST
}

interface Figures {
  readonly files: readonly FileFigures[]
  readonly stages: readonly Stage[]
}

/** Renders a table of processor time by cause: of the whole run, of each stage, and of the most expensive files. */
export function renderWhere(where: Where, { files, stages }: Figures): string {
  const rowOf = (name: string, total: number) => ({ name, total, parts: partsOf(where[name] ?? {}, total) })
  const ofStages = stages.map(({ name, processorSeconds }) => rowOf(name, processorSeconds))
  const ofFiles = files.slice(0, SHOWN_FILES).map(({ path, processorSeconds }) => rowOf(path, processorSeconds))
  const total = ofStages.reduce((sum, row) => sum + row.total, 0)
  const whole =
    where[WHOLE] === undefined
      ? {
          name: WHOLE,
          total,
          parts: CAUSES.map((_, index) => ofStages.reduce((sum, row) => sum + (row.parts[index] ?? 0), 0)),
        }
      : rowOf(WHOLE, total)
  const rows = where[WHOLE] === undefined ? [whole, ...ofStages, ...ofFiles] : [whole]
  return [
    '== where the processor time went, in seconds',
    'tests: the test runner; Node: tools and other programs in Node; building: installations, bundles and checks;',
    'shells: shells and programs that ended soon',
    ['      all', ...CAUSES.map((cause) => cause.padStart(9))].join(''),
    ...rows.map(({ name, total: all, parts }) => {
      return `${[all, ...parts].map((value) => value.toFixed(1).padStart(9)).join('')}  ${name}`
    }),
  ].join('\n')
}

/** Returns the seconds of each cause. What is missing in the sum was used by processes that nobody saw. */
function partsOf(seen: Readonly<Record<string, number>>, total: number): readonly number[] {
  const known = CAUSES.filter((cause) => cause !== LAST).map((cause) => seen[cause] ?? 0)
  const sum = known.reduce((left, right) => left + right, 0)
  return [...known, Math.max(total - sum, 0)]
}

import { CHANGE_MARKS, INK, type Mark, STATUS_MARKS } from './palette.ts'

/** Style of pictures, by whatever they are shown; the colours follow the viewer's preference. */
export function pictureStyle(): string {
  return `${BASE}${LIGHT}@media (prefers-color-scheme:dark){${DARK}}
${rulesOf(CHANGE_MARKS, (kind, { fill }) => `.${kind} .box{fill:${fill}}`)}
${rulesOf(STATUS_MARKS, (kind, { fill }) => `.disc.${kind}{fill:${fill}}`)}
.changed text,.changed .provides{fill:${INK}}.sign,.disc{stroke:${INK}}.gone .box,.stopped .box{stroke-dasharray:4 3}
`
}

function rulesOf(marks: Readonly<Record<string, Mark>>, rule: (kind: string, mark: Mark) => string): string {
  return Object.entries(marks)
    .map(([kind, mark]) => rule(kind, mark))
    .join('')
}

const BASE = `text{font:12px system-ui,"Segoe UI",Roboto,Helvetica,Arial,"DejaVu Sans",sans-serif}
.title{font-size:14px;font-weight:bold}.label,.note,.provides{font-size:11px}
.box,.inner,.edge,.sign{stroke-width:1.2}.inner,.edge,.sign{fill:none}.sign{stroke-width:1.7;stroke-linecap:round;stroke-linejoin:round}
.connects{stroke-dasharray:6 4}.moves{stroke-width:2.4}.many .edge{stroke-opacity:.55}
`
const LIGHT = `.paper,.back{fill:#fff}.target>.area{fill:#eef1f5;stroke:#b6c0cd}.container>.area{fill:#dbe2ea;stroke:#b6c0cd}
.box{fill:#fff}.box,.inner{stroke:#465364}text{fill:#111827}.note,.provides{fill:#465364}
.edge{stroke:#5a6b80}.tip{fill:#5a6b80}.edge.moves{stroke:#0072b2}.tip.moves{fill:#0072b2}
.back.title{fill:#eef1f5}.back.label{fill:#dbe2ea}
`
const DARK = `.paper,.back{fill:#12151a}.target>.area{fill:#1c2129;stroke:#48525f}.container>.area{fill:#2a313b;stroke:#48525f}
.box{fill:#3a434f}.box,.inner{stroke:#a9b5c4}text{fill:#f3f4f6}.note,.provides{fill:#c3ccd8}
.edge{stroke:#93a3b8}.tip{fill:#93a3b8}.edge.moves{stroke:#56b4e9}.tip.moves{fill:#56b4e9}
.back.title{fill:#1c2129}.back.label{fill:#2a313b}
`

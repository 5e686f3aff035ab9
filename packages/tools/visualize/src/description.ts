import { outputOptions, profileOptions, stateEnvironment, type ToolDescription } from '@davit/tool'

export const description = {
  name: 'davit-visualize',
  summary: 'Draw the services of a manifest, where they are and what they depend on',
  description: [
    'Draws each service in its container on its target, with a solid line to each service that it depends on and a dashed one to each that it connects to. Services that provide containers have a double border. Without a manifest, draws what was deployed last.',
    'With --from, draws what changes on the way from one manifest to another: what starts, stops, moves or is replaced, by colours and signs, and why.',
    'dot is text for the programs of Graphviz. svg is an image. html is a page for a browser, with zoom, search, and what is known of each service; it is one file, and loads nothing from anywhere. Passwords and other secrets are in none of them.',
    'With --plan, draws what a plan of davit-plan changes, from what was found on the targets. With --status, shows what davit-query has found: which services run, which do not, and which are not as the manifest says.',
    'It looks at documents only, and asks no machine.',
  ],
  examples: [
    { command: 'davit-visualize --format html --output system.html', describe: 'a page about what is deployed' },
    { command: 'davit-visualize manifest.xml | dot -Tpdf > system.pdf', describe: 'let Graphviz draw a manifest' },
    {
      command: 'davit-generations --current | davit-visualize --from - --format svg new.xml > change.svg',
      describe: 'draw what a new manifest would change',
    },
    {
      command: 'davit-query --status --format json | davit-visualize --status - --format html > status.html',
      describe: 'a page that shows which services run',
    },
    { command: 'davit-visualize --plan plan.json --format svg > plan.svg', describe: 'draw what a plan changes' },
  ],
  operands: {
    manifest: {
      kind: 'optional',
      describe: "manifest to draw, or '-' for standard input (default: what was deployed last)",
    },
  },
  options: {
    ...profileOptions,
    from: {
      type: 'string',
      value: 'MANIFEST',
      describe: "draw what changes from this manifest to the other; '-' is standard input",
    },
    plan: {
      type: 'string',
      value: 'FILE',
      describe:
        "draw what a plan changes that davit-plan has saved, from what runs to its manifest; '-' is standard input",
    },
    status: {
      type: 'string',
      value: 'FILE',
      describe: "show by colours and signs what davit-query --status --format json has found; '-' is standard input",
    },
    format: {
      type: 'choice',
      choices: ['dot', 'svg', 'html'],
      default: 'dot',
      group: 'Output options',
      describe: 'what to write: text for Graphviz, an image, or a page for a browser',
    },
    containers: {
      type: 'boolean',
      default: true,
      group: 'Output options',
      describe: 'draw containers around their services',
    },
    ...outputOptions,
  },
  exitStatus: { 1: 'nothing is deployed' },
  environment: { ...stateEnvironment },
  seeAlso: ['davit-plan(1)', 'davit-query(1)', 'davit-compare(1)', 'davit-generations(1)', 'davit-manifest(1)'],
  interrupted: {
    once: 'nothing was written; run the same command again',
    twice: 'nothing was written; run the same command again',
  },
} as const satisfies ToolDescription

import type { Immutable, Properties, ReactLike, System } from './swagger-ui.ts'

interface Sample {
  readonly label: string
  readonly source: string
}

/**
 * A plugin that shows the document's code samples above the parameters of each operation, with the address of this
 * host.
 */
export function samplesPlugin(system: System): unknown {
  const createElement: ReactLike['createElement'] = (...parts) => system.React.createElement(...parts)
  const sampleElement = ({ label, source }: Sample) =>
    createElement(
      'details',
      { key: label, className: 'code-sample' },
      createElement('summary', null, label),
      // The sample may need scrolling, so it must be focusable by keyboard.
      createElement(
        'pre',
        { tabIndex: 0, role: 'region', 'aria-label': `${label} sample` },
        createElement('code', null, source.replaceAll('$BASE', location.origin)),
      ),
    )
  const withSamples = (original: unknown) => (properties: Properties) => {
    const [path = '', method = ''] = properties.pathMethod as readonly string[]
    const samples = system.specSelectors.specJson().getIn(['paths', path, method, 'x-codeSamples'])
    const shown = samples === undefined ? [] : ((samples as Immutable).toJS() as readonly Sample[])
    return createElement(
      'div',
      null,
      createElement('div', { className: 'code-samples' }, ...shown.map(sampleElement)),
      createElement(original, properties),
    )
  }
  return { wrapComponents: { parameters: withSamples } }
}

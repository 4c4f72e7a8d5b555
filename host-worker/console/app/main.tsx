import { render } from 'preact'
import { watchBack } from './kit/leaving.ts'
import { takeKeyFromAddress } from './session/key-in-address.ts'
import { App } from './shell/app.tsx'
import { followTheme } from './shell/theme-button.tsx'
import './style/style.css'

const firstKey = takeKeyFromAddress()
followTheme()
watchBack()
const root = document.getElementById('console')
if (root !== null) render(<App firstKey={firstKey} />, root)

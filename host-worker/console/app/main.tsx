import { render } from 'preact'
import { watchBack } from './kit/leaving.ts'
import { takeKeyFromAddress } from './session/sign-in.tsx'
import { App } from './shell/shell.tsx'
import { followTheme } from './shell/theme-button.tsx'
import './style/style.css'

const firstKey = takeKeyFromAddress()
followTheme()
watchBack()
const root = document.getElementById('console')
if (root !== null) render(<App firstKey={firstKey} />, root)

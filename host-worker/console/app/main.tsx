import { render } from 'preact'
import { watchBack } from './kit/dialog.tsx'
import { takeKeyFromAddress } from './session.tsx'
import { App } from './shell.tsx'
import { followTheme } from './kit/page.tsx'
import './style/style.css'

const firstKey = takeKeyFromAddress()
followTheme()
watchBack()
const root = document.getElementById('console')
if (root !== null) render(<App firstKey={firstKey} />, root)

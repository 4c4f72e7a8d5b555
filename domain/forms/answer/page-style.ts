/**
 * The style sheet of the pages. Each text colour has a contrast of at least 4.5 to its background (WCAG 2.2, 1.4.3).
 */
export const STYLE = `
:root { color-scheme: light dark; --page: #f3f5f8; --card: #fff; --text: #1c2430; --soft: #4b5768; --line: #d9dfe7; --good: #0b6e3b; --bad: #a3200d; --link: #0a4fb3 }
@media (prefers-color-scheme: dark) {
  :root { --page: #10141a; --card: #1a2029; --text: #eceff4; --soft: #b3bdcb; --line: #333d4b; --good: #6fd39b; --bad: #ff9d8c; --link: #8ab8ff }
}
* { box-sizing: border-box }
body { margin: 0; min-height: 100vh; min-height: 100svh; display: grid; place-items: center; padding: 1rem; background: var(--page); color: var(--text); font: 1.0625rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; -webkit-text-size-adjust: 100% }
main { width: 100%; max-width: 34rem; padding: clamp(1.25rem, 5vw, 2.5rem); background: var(--card); border: 1px solid var(--line); border-radius: 1rem; overflow-wrap: anywhere }
svg { display: block; width: 3rem; height: 3rem; padding: .5rem; border: 2px solid; border-radius: 50%; fill: none; stroke: currentcolor; stroke-width: 2.5; stroke-linecap: round; stroke-linejoin: round }
.success svg { color: var(--good) }
.failure svg { color: var(--bad) }
h1 { margin: 1rem 0 .5rem; font-size: clamp(1.4rem, 5vw, 1.75rem); line-height: 1.25 }
h2 { margin: 1.75rem 0 .25rem; font-size: 1.0625rem }
p { margin: .5rem 0 }
.message { white-space: pre-line }
.problems { margin: 1rem 0; padding: 0; list-style: none; border-top: 1px solid var(--line) }
.problems li { padding: .75rem 0; border-bottom: 1px solid var(--line) }
.problems strong { display: block }
.problems span { color: var(--bad) }
.soft { color: var(--soft); font-size: .9375rem }
a { color: var(--link); text-underline-offset: .15em }
a.go { display: inline-block; padding: .5rem 0 }
a:focus-visible { outline: 3px solid; outline-offset: 3px; border-radius: .2rem }
code { font-size: .9em }
`

// This classic script runs before the first paint, so that the wrong theme never flashes.
const root = document.documentElement
try {
  const theme = localStorage.getItem('agmd.theme')
  if (theme === 'light' || theme === 'dark') root.dataset.theme = theme
  // Hides the text that came with the page. A returning visitor may have newer text on this device, or use another view.
  const doc = location.pathname.split('/')[2]
  const isKnown = doc !== undefined && localStorage.getItem('agmd.documents')?.includes(`"${doc}"`)
  const mode = localStorage.getItem(`agmd.mode.${doc}`) ?? 'live'
  if (isKnown || mode !== 'live' || localStorage.getItem('agmd.outline') !== null) root.dataset.known = ''
} catch {
  // The browser blocks storage, so the system's theme applies.
}

// The text that comes with the page appears once its typefaces have loaded, and uses them from then on. Slow typefaces are not used at all, so that
// no line moves.
const links = [...document.querySelectorAll('link[data-face]')]
if (links.length > 0) {
  const secondsMax = 1.5
  const faces = links.map(
    ({ href, dataset: { face, weight, style } }) => new FontFace(face, `url(${href})`, { weight, style, display: 'block' })
  )
  root.dataset.faces = 'waiting'
  const come = faces.map((face) => {
    document.fonts.add(face)
    return face.load()
  })
  const late = new Promise((_, reject) => setTimeout(reject, secondsMax * 1000))
  const show = (state) => {
    root.dataset.faces = state
    dispatchEvent(new Event('agmd-faces'))
  }
  Promise.race([Promise.all(come), late]).then(
    () => show('page'),
    () => {
      for (const face of faces) document.fonts.delete(face)
      show('late')
    }
  )
}

// Keeps the shortcut for comments until the page of a document can run it (document/page.tsx). Browsers use this key for nothing else.
addEventListener('keydown', (event) => {
  if (event.key === '.' && (event.ctrlKey || event.metaKey)) globalThis.agmdKey = event
})

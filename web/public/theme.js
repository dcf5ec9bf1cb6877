// Before the first paint: a classic script, so that a chosen theme never flashes the other one.
const root = document.documentElement
try {
  const theme = localStorage.getItem('agmd.theme')
  if (theme === 'light' || theme === 'dark') root.dataset.theme = theme
  // Who was here before may have more of the text on this device than came with the page, or see it another way.
  const doc = location.pathname.split('/')[2]
  const isKnown = doc !== undefined && localStorage.getItem('agmd.documents')?.includes(`"${doc}"`)
  const mode = localStorage.getItem('agmd.mode') ?? 'live'
  if (isKnown || mode !== 'live' || localStorage.getItem('agmd.outline') !== null) root.dataset.known = ''
} catch {
  // Storage is blocked: the theme of the system holds.
}

// A text that comes with the page is seen once its typefaces are there, and stays in them. Those that take too long stay away, and no line moves.
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

// Before the first paint: a classic script, so that a chosen theme never flashes the other one.
try {
  const theme = localStorage.getItem('agmd.theme')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
} catch {
  // Storage is blocked: the theme of the system holds.
}

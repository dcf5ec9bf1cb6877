// Fills in the name of a new account with the name that the person uses on this device as a guest. The form works without this script.
const field = document.querySelector('form input[name="name"]')
try {
  if (field.value === '') field.value = (localStorage.getItem('agmd.name') ?? '').slice(0, field.maxLength)
} catch {
  // The browser blocks storage, so the device has no name.
}

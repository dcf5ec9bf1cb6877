// Handles forms that ask for a passkey. It adds the browser's response to them, and hides them in browsers without passkeys. Everything else on the
// page works without this script.
const canAsk = typeof PublicKeyCredential === 'function' && 'parseRequestOptionsFromJSON' in PublicKeyCredential

const ask = async (form) => {
  const options = JSON.parse(form.dataset.options)
  const credential =
    form.dataset.passkey === 'create'
      ? await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) })
      : await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) })
  form.elements.response.value = JSON.stringify(credential.toJSON())
  form.submit()
}

for (const form of document.querySelectorAll('form[data-passkey]')) {
  form.hidden = !canAsk
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    const said = form.querySelector('[role=alert]')
    said.hidden = true
    // The person canceled, or there is no suitable passkey. The browser does not say which.
    ask(form).catch(() => (said.hidden = false))
  })
}

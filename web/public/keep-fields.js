// Sends a form without leaving its page. If the server refuses a field, the page replaces that field only, so the input in the other fields stays. The
// server never sends a password back. The form works without this script.
const form = document.querySelector('form[data-keep]')
const button = form.querySelector('button')

const send = async () => {
  const response = await fetch(form.action, { method: 'POST', body: new URLSearchParams(new FormData(form)) })
  if (response.redirected) return location.assign(response.url)
  const page = new DOMParser().parseFromString(await response.text(), 'text/html')
  const refused = page.querySelector('form[data-keep] [aria-invalid]')
  // Another page explains what happened.
  if (refused === null) return form.submit()
  for (const field of form.querySelectorAll('.field')) {
    const { id, value } = field.querySelector('input')
    const fresh = page.getElementById(id)
    if (fresh !== refused) fresh.value = value
    field.replaceWith(fresh.closest('.field'))
  }
  form.querySelector('[aria-invalid]').focus()
}

form.addEventListener('submit', (event) => {
  event.preventDefault()
  button.disabled = true
  send()
    .catch(() => form.submit())
    .finally(() => (button.disabled = false))
})

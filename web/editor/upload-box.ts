/** Draws the placeholder of a file that is being added: its name, its progress, and buttons for canceling or trying again. */
import { effect } from '@preact/signals'
import { t, term } from '../text/t.ts'
import type { Upload, Uploads, UploadState } from '../uploads/upload.ts'

interface UploadActions {
  readonly uploads: Uploads | undefined
  /** Called when the person cancels the upload. The focused button is then gone, so the focus must move. */
  readonly onRemoved: () => void
}

const percent = (share: number): string => (share >= 1 ? t('Finishing…') : `${Math.floor(share * 100)} %`)

const wordsOf = (state: UploadState): string =>
  state.phase === 'sending' ? percent(state.share) : state.phase === 'queued' ? t('Waiting…') : state.failure.words

function button(name: string, about: string, run: () => void): HTMLButtonElement {
  const made = document.createElement('button')
  made.type = 'button'
  made.className = 'button quiet'
  made.textContent = name
  made.setAttribute('aria-label', about)
  made.addEventListener('click', run)
  return made
}

/** Draws an upload into its box and keeps it up to date. Returns a function that stops the updates. */
export function drawUpload(box: HTMLElement, upload: Upload, { uploads, onRemoved }: UploadActions): () => void {
  const bar = document.createElement('progress')
  bar.max = 1
  bar.setAttribute('aria-label', t('Progress: {name}', { name: upload.fileName }))
  const name = document.createElement('span')
  name.className = 'upload-name'
  name.textContent = upload.fileName
  const words = document.createElement('span')
  words.className = 'upload-words tabular'
  const retry = button(t('Try again'), t('Try again: {name}', { name: upload.fileName }), () => uploads?.retry(upload))
  const cancel = button(t('Cancel'), t('Cancel: {name}', { name: upload.fileName }), () => {
    uploads?.cancel(upload)
    onRemoved()
  })
  box.replaceChildren(bar, name, words, retry, cancel)
  // The box is not editable, so the browser accepts a drop on it only if the page says so. The editor handles the drop.
  box.addEventListener('dragover', (event) => event.preventDefault())
  return effect(() => {
    const state = upload.state.value
    const failed = state.phase === 'failed'
    box.dataset['phase'] = state.phase
    words.textContent = wordsOf(state)
    bar.hidden = failed
    if (state.phase === 'sending' && state.share < 1) bar.value = state.share
    else bar.removeAttribute('value')
    retry.hidden = state.phase !== 'waiting' && !(state.phase === 'failed' && state.failure.again !== 'never')
    cancel.textContent = failed ? t('Remove') : t('Cancel')
    cancel.setAttribute('aria-label', t(failed ? term('Remove: {name}') : term('Cancel: {name}'), { name: upload.fileName }))
  })
}

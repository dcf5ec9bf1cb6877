/** Commands that start media jobs on a compute node. Their code loads when a person runs one of them, and the page then reports any obstacle. */
import type { JobKind } from '../../shared/media-jobs.ts'
import { asked, askFor } from './asked.ts'
import { term } from '../text/t.ts'
import { isWriting, type Command } from '../view/command.ts'

const asks = (kind: JobKind): Pick<Command, 'when' | 'needs' | 'run'> => ({
  needs: kind,
  when: isWriting,
  run: (page) => askFor(page, kind)
})

export const mediaCommands: readonly Command[] = [
  {
    id: 'media.image',
    title: term('Generate a picture'),
    words: term('image AI prompt draw illustration'),
    group: 'insert',
    icon: 'sparkles',
    ...asks('image')
  },
  {
    id: 'media.transcription',
    title: term('Dictate or transcribe'),
    words: term('microphone recording voice speech to text audio'),
    group: 'insert',
    icon: 'mic',
    ...asks('transcription')
  },
  {
    id: 'media.ocr',
    title: term('Read text from a picture'),
    words: term('OCR scan photo recognize'),
    group: 'insert',
    icon: 'scan-text',
    ...asks('ocr')
  },
  {
    id: 'media.speech',
    title: term('Read aloud'),
    words: term('speak voice listen audio text to speech'),
    group: 'insert',
    icon: 'volume',
    ...asks('speech')
  },
  {
    id: 'panel.media',
    title: term('Pictures and speech'),
    words: term('media dictation read aloud jobs compute node under way'),
    group: 'document',
    icon: 'sparkles',
    when: isWriting,
    run: (page) => {
      asked.value = undefined
      page.panel.value = page.panel.value === 'media' ? undefined : 'media'
    }
  }
]

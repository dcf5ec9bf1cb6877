/** Commands for comments, suggestions and assignments. Their code loads after the editor, or immediately on request. */
import { includesRole, type Role } from '../../shared/roles.ts'
import { typeEarly } from '../ui/early-field.ts'
import type { Page } from './page.ts'
import type { Review } from '../review/annotations/review.ts'
import { t, term } from '../text/t.ts'
import type { Command } from '../view/command.ts'

/**
 * Whether the person has a role. Everybody who sees the page may view, and a person who may write counts as having that role even before the exact
 * role is known. After access has ended, nobody can comment or edit, but the text stays readable.
 */
const has = ({ session }: Page, role: Role): boolean =>
  role === 'view' ||
  (session.link.ended.value === undefined &&
    (includesRole(session.role.value, role) || (session.canEdit.value && includesRole('edit', role))))

/** Creates a command for people with a role. */
const withReview = (role: Role, run: (review: Review, page: Page) => void): Pick<Command<Page>, 'when' | 'run'> => ({
  when: (page) => has(page, role),
  run: (page) => void page.parts.withReview((review) => run(review, page))
})

const togglePanel =
  (name: 'annotations' | 'tasks') =>
  (_review: Review, page: Page): void => {
    page.panel.value = page.panel.value === name ? undefined : name
  }

export const reviewCommands: readonly Command<Page>[] = [
  {
    id: 'comment',
    title: term('Comment'),
    group: 'review',
    icon: 'message-plus',
    keys: ['Mod-Alt-m'],
    scope: 'page',
    when: (page) => has(page, 'comment'),
    // Text typed from now on belongs to the comment, even before its field exists.
    run: (page) => {
      const early = typeEarly(t('Write a comment'), false, () => page.editor.value?.view.focus())
      void page.parts.withReview((review) => early.isWanted() && review.comment())
    }
  },
  {
    id: 'suggesting',
    title: term('Suggest instead of editing'),
    group: 'review',
    icon: 'pen-line',
    keys: ['Mod-Shift-e'],
    scope: 'page',
    when: (page) => has(page, 'suggest'),
    // The person must not type before the code for suggestions has loaded.
    run: (page) => void page.parts.withReview((review) => review.toggleSuggesting(), true)
  },
  {
    id: 'panel.annotations',
    title: term('Comments and suggestions'),
    group: 'review',
    icon: 'message',
    keys: ['Mod-.'],
    scope: 'page',
    ...withReview('view', togglePanel('annotations'))
  },
  {
    id: 'annotation.next',
    title: term('Next comment or suggestion'),
    group: 'review',
    keys: ['F8'],
    scope: 'page',
    ...withReview('view', (review) => review.go(1))
  },
  {
    id: 'annotation.previous',
    title: term('Previous comment or suggestion'),
    group: 'review',
    keys: ['Shift-F8'],
    scope: 'page',
    ...withReview('view', (review) => review.go(-1))
  },
  {
    id: 'suggestion.accept',
    title: term('Accept this suggestion'),
    group: 'review',
    icon: 'check',
    keys: ['Mod-Alt-Enter'],
    scope: 'page',
    ...withReview('edit', (review) => review.decide('accept'))
  },
  {
    id: 'suggestion.reject',
    title: term('Reject this suggestion'),
    group: 'review',
    icon: 'x',
    keys: ['Mod-Alt-Backspace'],
    scope: 'page',
    ...withReview('edit', (review) => review.decide('reject'))
  },
  {
    id: 'suggestion.rejectWithReason',
    title: term('Reject this suggestion with a reason'),
    group: 'review',
    icon: 'x',
    ...withReview('edit', (review) => review.askReason())
  },
  {
    id: 'annotation.resolve',
    title: term('Resolve this comment'),
    group: 'review',
    icon: 'check',
    ...withReview('comment', (review) => review.resolve())
  },
  {
    id: 'panel.tasks',
    title: term('Ask for a review'),
    group: 'review',
    icon: 'list-todo',
    ...withReview('owner', togglePanel('tasks'))
  }
]

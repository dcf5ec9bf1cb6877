/** Comments, suggestions and assignments. Their part of the page comes after the editor; until then nothing of it can be done. */
import { includesRole, type Role } from '../../shared/roles.ts'
import type { View } from '../document/page.tsx'
import type { Review } from '../review/review.ts'
import { term } from '../text/t.ts'
import type { Command } from './command.ts'

/** For whom has the role. */
const withReview = (role: Role, run: (review: Review, page: View) => void): Pick<Command, 'when' | 'run'> => ({
  when: ({ review, session }) => review.value !== undefined && includesRole(session.role.value, role),
  run(page) {
    const { value } = page.review
    if (value === undefined) return false
    run(value, page)
    return true
  }
})

const togglePanel =
  (name: 'remarks' | 'tasks') =>
  (_review: Review, page: View): void => {
    page.panel.value = page.panel.value === name ? undefined : name
  }

export const reviewCommands: readonly Command[] = [
  {
    id: 'comment',
    title: term('Comment'),
    group: 'review',
    icon: 'message-plus',
    keys: ['Mod-Alt-m'],
    scope: 'page',
    ...withReview('comment', (review) => review.comment())
  },
  {
    id: 'suggesting',
    title: term('Suggest instead of editing'),
    group: 'review',
    icon: 'pen-line',
    keys: ['Mod-Shift-e'],
    scope: 'page',
    ...withReview('suggest', (review) => review.toggleSuggesting())
  },
  {
    id: 'panel.remarks',
    title: term('Comments and suggestions'),
    group: 'review',
    icon: 'message',
    keys: ['Mod-.'],
    scope: 'page',
    ...withReview('view', togglePanel('remarks'))
  },
  {
    id: 'remark.next',
    title: term('Next comment or suggestion'),
    group: 'review',
    keys: ['F8'],
    scope: 'page',
    ...withReview('view', (review) => review.go(1))
  },
  {
    id: 'remark.previous',
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
    id: 'remark.resolve',
    title: term('Resolve this comment'),
    group: 'review',
    icon: 'check',
    ...withReview('comment', (review) => review.resolve())
  },
  {
    id: 'panel.tasks',
    title: term('Review assignments'),
    group: 'review',
    icon: 'list-todo',
    ...withReview('view', togglePanel('tasks'))
  }
]

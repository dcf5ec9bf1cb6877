/** What each tab of the dialog is given. */
import type { View } from '../view/view.ts'

export interface TabInput {
  readonly view: View
  /** Nothing can be changed now. */
  readonly disabled: boolean
}

/** The input of each tab of the dialog. */
import type { View } from '../view/view.ts'

export interface TabInput {
  readonly view: View
  /** Nothing can be changed now. */
  readonly disabled: boolean
}

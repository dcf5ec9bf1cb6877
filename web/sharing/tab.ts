/** The input of each tab of the dialog. */
import type { View } from '../view/view.ts'

export interface TabInput {
  readonly view: View
  /** Whether nothing can be changed at the moment. */
  readonly disabled: boolean
}

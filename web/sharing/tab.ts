/** The props of each tab in the sharing dialog. */
import type { View } from '../view/view.ts'

export interface TabInput {
  readonly view: View
  /** Whether the person cannot change anything now. */
  readonly disabled: boolean
}

/** The button that shows only an icon. */
import type { ButtonHTMLAttributes, JSX, Ref } from 'preact'
import { Icon, type IconName } from './icons.tsx'

type Attribute = 'aria-expanded' | 'aria-pressed' | 'disabled' | 'onClick' | 'popovertarget'

interface IconButtonInput extends Pick<ButtonHTMLAttributes<HTMLButtonElement>, Attribute> {
  readonly icon: IconName
  /** The accessible name. */
  readonly label: string
  /** The tooltip. Defaults to the accessible name. */
  readonly title?: string
  /** Width and height of the icon, in pixels. */
  readonly size?: number
  /** A class in addition to those of every such button. */
  readonly class?: string
  readonly button?: Ref<HTMLButtonElement>
}

export const IconButton = ({ icon, label, title = label, size = 20, class: more = '', button, ...rest }: IconButtonInput): JSX.Element => (
  <button ref={button} type='button' class={`button quiet icon-only ${more}`.trimEnd()} aria-label={label} title={title} {...rest}>
    <Icon name={icon} size={size} />
  </button>
)

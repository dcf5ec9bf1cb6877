/** The slugs of headings, with which links lead to them. The editor needs them without the renderer. */

/** Returns the slug of a heading, as on GitHub. Letters, digits, marks, `_` and `-` stay, and spaces become hyphens. */
export const slugOf = (text: string): string =>
  text
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-')
    .slice(0, 120)

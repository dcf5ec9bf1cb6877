/**
 * Style rules of formulas, for every component: declarations become classes. Separate from the typesetting library, which only some components need.
 */
export const formulaRules = new CSSStyleSheet()

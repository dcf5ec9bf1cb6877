/** Rules of formulas, for every component: declarations become classes. Apart from what sets them, which only some components need. */
export const formulaRules = new CSSStyleSheet()

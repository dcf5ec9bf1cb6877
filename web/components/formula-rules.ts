/** Rules of formulas, for every component: declarations become classes. Apart from what renders them, which comes later. */
export const formulaRules = new CSSStyleSheet()
